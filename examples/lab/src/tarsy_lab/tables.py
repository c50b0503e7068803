"""Objects as the tables that kubectl prints."""

from collections.abc import Iterable, Sequence
from typing import cast

from tarsy_lab.evidence import Resource

type Json = dict[str, "Json"] | list["Json"] | str | int | bool | None


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, *rows]
    widths = [max(len(cell) for cell in column) for column in zip(*lines, strict=True)]
    return "\n".join(
        "   ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines
    )


def pods_table(pods: Iterable[Resource]) -> str:
    header = ("NAMESPACE", "NAME", "READY", "STATUS", "RESTARTS", "IMAGE", "NODE")
    return table(header, [_pod_row(pod) for pod in pods])


def events_table(events: Iterable[Resource]) -> str:
    header = ("NAMESPACE", "LAST SEEN", "COUNT", "TYPE", "REASON", "OBJECT", "MESSAGE")
    return table(header, [_event_row(event) for event in events])


def resources_table(resources: Iterable[Resource]) -> str:
    rows = [(each.namespace or "-", each.api_version, each.kind, each.name) for each in resources]
    return table(("NAMESPACE", "APIVERSION", "KIND", "NAME"), rows)


def _pod_row(pod: Resource) -> tuple[str, ...]:
    statuses = cast(list[Json], _at(pod, "status", "containerStatuses"))
    ready = sum(1 for status in statuses if _get(status, "ready") is True)
    restarts = sum(cast(int, _get(status, "restartCount")) for status in statuses)
    return (
        pod.namespace or "-",
        pod.name,
        f"{ready}/{len(statuses)}",
        _pod_status(pod, statuses),
        str(restarts),
        str(_get(statuses[0], "image")),
        str(_at(pod, "spec", "nodeName")),
    )


def _pod_status(pod: Resource, statuses: Sequence[Json]) -> str:
    """The reason of a waiting container says more than the phase, which stays Running while a container crashes."""
    for status in statuses:
        reason = _get(_get(_get(status, "state"), "waiting"), "reason")
        if reason is not None:
            return str(reason)
    return str(_at(pod, "status", "phase"))


def _event_row(event: Resource) -> tuple[str, ...]:
    involved = _at(event, "involvedObject")
    return (
        event.namespace or "-",
        str(_at(event, "lastTimestamp")),
        str(_at(event, "count")),
        str(_at(event, "type")),
        str(_at(event, "reason")),
        f"{_get(involved, 'kind')}/{_get(involved, 'name')}",
        str(_at(event, "message")),
    )


def _at(resource: Resource, *path: str) -> Json:
    value = cast(Json, resource.body)
    for key in path:
        value = _get(value, key)
    return value


def _get(value: Json, key: str) -> Json:
    return value.get(key) if isinstance(value, dict) else None
