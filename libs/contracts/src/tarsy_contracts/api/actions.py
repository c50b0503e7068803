"""REST messages of the switch that holds actions."""

from pydantic import ConfigDict, Field

from tarsy_contracts.api.model import ApiModel, Timestamp

LONGEST_COMMENT = 1_000


class ActionsState(ApiModel):
    """Whether calls of tools that change something are made. `author`: who paused them, or let them go on, `at` when.

    Both are null before anybody did.
    """

    paused: bool
    author: str | None = None
    comment: str = ""
    at: Timestamp | None = None


class SwitchOrder(ApiModel):
    """`comment`: agents and people read it, where a call is held."""

    model_config = ConfigDict(extra="forbid")

    comment: str = Field("", max_length=LONGEST_COMMENT)
