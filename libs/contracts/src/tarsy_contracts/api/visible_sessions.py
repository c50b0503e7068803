"""Internal question and answer: which sessions somebody sees who is limited to session groups."""

from collections.abc import Mapping

from pydantic import Field

from tarsy_contracts.api.model import ApiModel

MOST_ASKED = 1_000

type GroupLabels = Mapping[str, tuple[str, ...]]
"""Labels of a session group, and the values that count."""


class AskedVisibility(ApiModel):
    session_ids: tuple[str, ...] = Field(max_length=MOST_ASKED)
    session_groups: tuple[GroupLabels, ...]


class VisibleSessions(ApiModel):
    """Sessions that are in neither list are not known yet."""

    visible: tuple[str, ...]
    hidden: tuple[str, ...]
