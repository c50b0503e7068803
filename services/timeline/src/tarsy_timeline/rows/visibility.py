"""Session groups as a condition of PostgreSQL, which an index of the labels answers."""

import re
from collections.abc import Iterator, Mapping, Sequence

from tarsy_auth.session_groups import GroupLabels
from tarsy_timeline.database.postgres_text import to_index_text, to_postgres_text
from tarsy_timeline.database.sql import QUERIES

PLACE = re.compile(r"\{visible:(?P<argument>\d+)\}")
"""Stands in a query for the condition on the session `s`, and names the argument that `visible_labels` goes to."""
LABELS = "session_labels(s.alert_type, s.cluster, s.namespace, s.workload, s.labels)"

type Alternatives = list[str]
"""A session has one of these labels."""


def visible_query(name: str, groups: GroupLabels | None) -> str:
    """The query for callers who see these groups; None for those who see all sessions."""
    return fill_visibility(QUERIES[name], groups)


def fill_visibility(text: str, groups: GroupLabels | None) -> str:
    return PLACE.sub(lambda place: _visibility_condition(groups, f"${place['argument']}::text[]"), text)


def visible_labels(groups: GroupLabels | None) -> list[str] | None:
    """The argument of the condition: the labels that count, one after the other."""
    return (
        None
        if groups is None
        else [label for group in _alternatives_of_groups(groups) for labels in group for label in labels]
    )


def format_label(name: str, value: str) -> str:
    """As the index has it."""
    return f"{to_postgres_text(name)}={to_index_text(value)}"


def format_labels(labels: Mapping[str, str]) -> list[str]:
    """Those that its sender chose, as `sessions.labels` has them."""
    return [format_label(name, value) for name, value in labels.items()]


def read_labels(stored: Sequence[str]) -> dict[str, str]:
    """No name has a `=` in it."""
    return dict(label.split("=", 1) for label in stored)


def _visibility_condition(groups: GroupLabels | None, argument: str) -> str:
    if groups is None:
        return f"{argument} is null"
    alternatives = " or ".join(_group_conditions(groups, argument))
    return f"({argument} is not null and ({alternatives or 'false'}))"


def _group_conditions(groups: GroupLabels, argument: str) -> Iterator[str]:
    begin = 1
    for group in _alternatives_of_groups(groups):
        conditions = []
        for labels in group:
            end = begin + len(labels) - 1
            conditions.append(f"{LABELS} && ({argument})[{begin}:{end}]")
            begin = end + 1
        yield f"({' and '.join(conditions)})"


def _alternatives_of_groups(groups: GroupLabels) -> Iterator[list[Alternatives]]:
    """Groups with one label each are one: a session is in one of them when it has one of their values."""
    each = [[[format_label(name, value) for value in values] for name, values in group.items()] for group in groups]
    single = [label for group in each if len(group) == 1 for label in group[0]]
    if single:
        yield [single]
    yield from (group for group in each if len(group) > 1)
