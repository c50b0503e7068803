"""Session groups: the sessions whose alerts have certain labels. A caller who is limited to groups sees no other."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

type Label = Literal["alert_type", "cluster", "namespace", "workload"]

LABELS: tuple[str, ...] = get_args(Label.__value__)
"""Labels of an alert that the list of sessions can be filtered by, and that a session keeps for good."""


@dataclass(frozen=True, slots=True)
class SessionGroup:
    """A session is in the group when its alert has one of the values of each label that is named here."""

    name: str
    labels: Mapping[Label, tuple[str, ...]]


type VisibleGroups = tuple[SessionGroup, ...] | None
"""The groups whose sessions somebody sees; None for whoever sees all, and empty for whoever sees none."""

type FindGroups = Callable[[tuple[str, ...] | None], VisibleGroups]
"""From names of groups, as a credential has them, to the groups."""


type GroupLabels = list[dict[str, list[str]]]
"""Labels of each group, as they are sent to another service, and to PostgreSQL."""


def labels_of(groups: Sequence[SessionGroup]) -> GroupLabels:
    return [{label: [*values] for label, values in group.labels.items()} for group in groups]
