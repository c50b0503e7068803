"""Internal question and answer: which sessions somebody sees who is limited to session groups."""

from pydantic import Field

from tarsy_contracts.api.model import ApiModel

MOST_ASKED = 1_000


class AskedVisibility(ApiModel):
    """`session_groups`: of each group, its labels and the values that count."""

    session_ids: tuple[str, ...] = Field(max_length=MOST_ASKED)
    session_groups: list[dict[str, list[str]]]


class VisibleSessions(ApiModel):
    """Sessions that are in neither list are not known yet."""

    visible: tuple[str, ...]
    hidden: tuple[str, ...]
