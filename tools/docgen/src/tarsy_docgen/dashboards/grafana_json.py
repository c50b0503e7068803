"""Dashboards as Grafana's JSON, as it is provisioned from files."""

import json
import re
from collections.abc import Iterator
from functools import cache
from itertools import count
from typing import Any

from tarsy_docgen.dashboards.panels import Dashboard, Kind, Panel, Query
from tarsy_docgen.dashboards.promql import SERIES, without_series_end
from tarsy_docgen.metrics_page import all_metrics

SCHEMA_VERSION = 41
COLUMNS = 24
SIZES: dict[Kind, tuple[int, int]] = {"stat": (4, 4), "lines": (8, 8), "stack": (8, 8)}
"""Width and height of a panel."""
SOURCE = {"type": "prometheus", "uid": "${datasource}"}
OURS = '{__name__=~"tarsy_process_ready|tarsy_front_door_processes_ready"'
SERVICE = "tarsy_process_ready"

type Json = dict[str, Any]


def dashboard_file(dashboard: Dashboard) -> str:
    return json.dumps(dashboard_json(dashboard), indent=2) + "\n"


def dashboard_json(dashboard: Dashboard) -> Json:
    return {
        "uid": dashboard.uid,
        "title": dashboard.title,
        "description": dashboard.about,
        "tags": ["tarsy"],
        "schemaVersion": SCHEMA_VERSION,
        "editable": True,
        "graphTooltip": 1,
        "refresh": "30s",
        "time": {"from": "now-6h", "to": "now"},
        "links": [_link()],
        "templating": {"list": list(_variables(dashboard))},
        "panels": list(_panels(dashboard)),
    }


def select(expr: str, *, by_service: bool) -> str:
    """The query with the choice of people: Grafana fills the variables in."""
    return SERIES.sub(lambda match: _chosen(match, by_service=by_service), expr)


def _chosen(match: re.Match[str], *, by_service: bool) -> str:
    name, matchers = match[0].partition("{")[0], match[1]
    labels = ["job", *(["instance"] if _has_instance(name) else [])]
    if by_service and "service" in _labels(name):
        labels.append("service")
    chosen = [*([matchers] if matchers else []), *(f'{label}=~"${label}"' for label in labels)]
    return f"{name}{{{', '.join(chosen)}}}"


def _has_instance(name: str) -> bool:
    """A target that is down shows no instance to choose; a recording rule says in its name what it keeps."""
    level, colon, _ = name.partition(":")
    return "instance" in level.split("_") if colon else name != "up"


@cache
def _labels(name: str) -> tuple[str, ...]:
    shown = all_metrics()
    found = shown.get(name) or shown.get(without_series_end(name))
    return found.labels if found else ()


def _link() -> Json:
    return {
        "type": "dashboards",
        "title": "TARSy",
        "tags": ["tarsy"],
        "asDropdown": False,
        "includeVars": True,
        "keepTime": True,
        "targetBlank": False,
        "icon": "external link",
        "tooltip": "",
        "url": "",
    }


def _variables(dashboard: Dashboard) -> Iterator[Json]:
    yield {"name": "datasource", "label": "Prometheus", "type": "datasource", "query": "prometheus", "refresh": 1}
    yield _variable("job", f"label_values({OURS}}}, job)")
    yield _variable("instance", f'label_values({OURS}, job=~"$job"}}, instance)')
    if dashboard.by_service:
        yield _variable("service", f'label_values({SERVICE}{{job=~"$job"}}, service)')


def _variable(name: str, values: str) -> Json:
    return {
        "name": name,
        "label": name.capitalize(),
        "type": "query",
        "datasource": SOURCE,
        "query": {"qryType": 1, "query": values, "refId": "PrometheusVariableQueryEditor-VariableQuery"},
        "refresh": 2,
        "sort": 1,
        "multi": True,
        "includeAll": True,
        "current": {"text": ["All"], "value": ["$__all"]},
    }


def _panels(dashboard: Dashboard) -> Iterator[Json]:
    numbers, top = count(1), 0
    for row in dashboard.rows:
        yield {
            "id": next(numbers),
            "type": "row",
            "title": row.title,
            "collapsed": False,
            "gridPos": {"x": 0, "y": top, "w": COLUMNS, "h": 1},
            "panels": [],
        }
        top += 1
        left = height = 0
        for panel in row.panels:
            wide, high = SIZES[panel.kind]
            if left + wide > COLUMNS:
                left, top, height = 0, top + height, 0
            place = {"x": left, "y": top, "w": wide, "h": high}
            yield {"id": next(numbers), "gridPos": place} | _panel(panel, by_service=dashboard.by_service)
            left, height = left + wide, max(height, high)
        top += height


def _panel(panel: Panel, *, by_service: bool) -> Json:
    is_stat = panel.kind == "stat"
    return {
        "type": "stat" if is_stat else "timeseries",
        "title": panel.title,
        "description": panel.does,
        "datasource": SOURCE,
        "targets": [_target(number, query, panel, by_service) for number, query in enumerate(panel.queries)],
        "fieldConfig": {"defaults": _stat_field(panel) if is_stat else _lines_field(panel), "overrides": []},
        "options": _stat_options() if is_stat else _lines_options(),
    }


def _target(number: int, query: Query, panel: Panel, by_service: bool) -> Json:
    return {
        "refId": chr(ord("A") + number),
        "datasource": SOURCE,
        "expr": select(query.expr, by_service=by_service),
        "legendFormat": query.legend,
        "instant": panel.kind == "stat",
        "range": panel.kind != "stat",
    }


def _stat_field(panel: Panel) -> Json:
    return {"unit": panel.unit, "color": {"mode": "thresholds"}, "thresholds": _thresholds(panel)}


def _lines_field(panel: Panel) -> Json:
    custom = {
        "drawStyle": "line",
        "lineWidth": 1,
        "fillOpacity": 30 if panel.kind == "stack" else 5,
        "showPoints": "auto",
        "stacking": {"mode": "normal" if panel.kind == "stack" else "none", "group": "A"},
        "thresholdsStyle": {"mode": "off" if panel.limit is None else "line"},
    }
    color = {"mode": "palette-classic"}
    return {"unit": panel.unit, "min": 0, "color": color, "thresholds": _thresholds(panel), "custom": custom}


def _thresholds(panel: Panel) -> Json:
    steps: list[Json] = [{"color": "green", "value": None}]
    if panel.limit is not None:
        steps.append({"color": "red", "value": panel.limit})
    return {"mode": "absolute", "steps": steps}


def _stat_options() -> Json:
    return {
        "reduceOptions": {"calcs": ["lastNotNull"], "fields": "", "values": False},
        "colorMode": "value",
        "graphMode": "none",
        "justifyMode": "auto",
        "textMode": "value",
        "orientation": "auto",
        "wideLayout": True,
    }


def _lines_options() -> Json:
    return {
        "legend": {"displayMode": "table", "placement": "bottom", "showLegend": True, "calcs": ["lastNotNull", "max"]},
        "tooltip": {"mode": "multi", "sort": "desc"},
    }
