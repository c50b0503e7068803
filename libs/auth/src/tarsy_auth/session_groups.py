"""Session groups: the sessions whose alerts have certain labels. A caller who is limited to groups sees no other."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

LABEL = re.compile(r"[^\s=A-Z\x00-\x1f\x7f]{1,100}")
"""A name of a label, as sessions have it: `alert_type`, `cluster`, `namespace`, `workload`, or one that senders chose.
Senders write `team` and `Team`; it is kept in lower case."""


def check_label(text: str) -> str:
    """Raises ValueError."""
    if LABEL.fullmatch(text):
        return text
    if LABEL.fullmatch(text.lower()):
        raise ValueError(f"is no name of a label, which has small letters only; write {text.lower()}")
    raise ValueError("is no name of a label; it has 1 to 100 characters, without blanks and `=`")


@dataclass(frozen=True, slots=True)
class SessionGroup:
    """A session is in the group when its alert has one of the values of each label that is named here."""

    name: str
    labels: Mapping[str, tuple[str, ...]]


type VisibleGroups = tuple[SessionGroup, ...] | None
"""The groups whose sessions a caller sees: None for callers who see all, empty for those who see none."""

type FindGroups = Callable[[tuple[str, ...] | None], VisibleGroups]
"""From names of groups, as a credential has them, to the groups."""


type GroupLabels = list[dict[str, list[str]]]
"""Labels of each group, as they are sent to another service, and to PostgreSQL."""


def labels_of(groups: Sequence[SessionGroup]) -> GroupLabels:
    return [{label: [*values] for label, values in group.labels.items()} for group in groups]
