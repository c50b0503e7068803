"""Schema of the chart's values: chart_values.yaml, with the variables that the settings classes know."""

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import yaml
from pydantic import JsonValue, TypeAdapter

from tarsy_docgen.chart.chart_value import ChartValue
from tarsy_docgen.schema import Schema
from tarsy_local.service_settings import SETTINGS
from tarsy_service.settings.kafka import KafkaConnectionSettings
from tarsy_service.settings.secret_files import is_secret, variable_of
from tarsy_service.settings.service_settings import ServiceSettings

SET_BY_THE_CHART = frozenset(
    {
        *KafkaConnectionSettings.model_fields,
        "topic_prefix",
        "client",
        "ca_file",
        "config_dir",
        "http_host",
        "http_port",
        "hosts",
        "base_path",
        "auth_file",
        "open_access",
        "front_door",
        "shutdown_seconds",
        "dead_after_seconds",
        "tool_gateway_drain_seconds",
        "database_schema",
        "timeline_url",
        "ingest_url",
        "slack_review_channels",
    }
)
"""Settings that have values of their own, or that nobody needs to change in a pod; secrets besides."""
KEPT = ("type", "minimum", "exclusiveMinimum", "maximum", "pattern", "enum", "items", "description")
MARK = "settings"


def values_schema_file() -> str:
    return json.dumps(values_schema(), indent=2, ensure_ascii=False) + "\n"


@cache
def values_schema() -> Schema:
    """Without references: each service has all of its values."""
    return TypeAdapter(dict[str, JsonValue]).validate_python(_filled(_source()["schema"]))


@cache
def all_values() -> Mapping[str, ChartValue]:
    return ChartValue.model_validate(values_schema()).properties


@cache
def common_values() -> Mapping[str, ChartValue]:
    """Those of every service, unless it changes them."""
    common = TypeAdapter(dict[str, Schema]).validate_python(_source()["service"])
    return {name: ChartValue.model_validate(schema) for name, schema in common.items() if set(schema) != {MARK}}


def _source() -> Schema:
    return TypeAdapter(dict[str, JsonValue]).validate_python(
        yaml.safe_load(files(__package__).joinpath("chart_values.yaml").read_text("utf-8"))
    )


def _filled(node: JsonValue) -> JsonValue:
    match node:
        case {"settings": str(service), **others} if not others:
            return _free_settings_schema(None if service == "all" else service)
        case dict():
            return {name: _filled(inner) for name, inner in node.items()}
        case list():
            return [_filled(inner) for inner in node]
        case _:
            return node


def _free_settings_schema(service: str | None) -> dict[str, JsonValue]:
    """The settings that the chart does not set itself. None: those of every service. Secrets are left out."""
    kind = ServiceSettings if service is None else SETTINGS[service]
    shared = () if service is None else ServiceSettings.model_fields
    known: dict[str, dict[str, JsonValue]] = kind.model_json_schema()["properties"]
    free = [
        name
        for name, field in kind.model_fields.items()
        if name not in SET_BY_THE_CHART and name not in shared and not is_secret(field)
    ]
    whose = "every service" if service is None else f"the {service}"
    variables: dict[str, JsonValue] = {
        variable_of(name): {key: known[name][key] for key in KEPT if key in known[name]} for name in free
    }
    return {
        "type": "object",
        "additionalProperties": False,
        "default": {},
        "description": f"variables of {whose}, as docs/reference/settings.md has them: "
        + (", ".join(f"`{name}`" for name in variables) or "it has none of its own"),
        "properties": variables,
    }
