"""Readers of a session as session groups: what it is given, each of them may see. Pure."""

from collections.abc import Iterator

from tarsy_auth.session_groups import GroupLabels
from tarsy_contracts.memory import RecallContext
from tarsy_timeline.rows.visibility import format_label, format_labels

FACTS = ("alert_type", "cluster", "namespace", "workload")


def common_readers(groups: GroupLabels, context: RecallContext) -> GroupLabels | None:
    """The sessions that are in each of the groups that this session is in, as one group.

    Somebody who sees one of these groups only sees the session, and with it what it was given. None where the session
    is in no group: only those see it who see all.
    """
    own = [group for group in groups if _is_in(group, context)]
    if not own:
        return None
    merged: dict[str, list[str]] = {}
    for group in own:
        for name, values in group.items():
            merged[name] = [value for value in values if value in merged.get(name, values)]
    return [merged]


def _is_in(group: dict[str, list[str]], context: RecallContext) -> bool:
    own = set(_labels(context))
    return all(any(format_label(name, value) in own for value in values) for name, values in group.items())


def _labels(context: RecallContext) -> Iterator[str]:
    yield from format_labels(context.labels)
    yield from (format_label(name, value) for name in FACTS if (value := getattr(context, name)))
