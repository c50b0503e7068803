"""The switch that holds actions, and how many were granted: what `tarsy.catalog` carries beside servers."""

from typing import ClassVar

from pydantic import AwareDatetime

from tarsy_contracts.wire.message import Message, Value

SWITCH_KEY = ".actions"
"""The key of the one record that counts. No server's name begins so."""


class ActionsSwitched(Message):
    """A person has paused all actions, or lets them go on. Nothing was paused before the first such record.

    `author` and `comment` are masked.
    """

    type: ClassVar[str] = "actions.switched"
    paused: bool
    author: str
    comment: str = ""
    at: AwareDatetime


class GrantedAction(Value):
    """A call that changes something, of an agent that acts. `at`: when it was granted, by the broker's stamp."""

    call_id: str
    chain_id: str
    workload: str
    at: AwareDatetime


class ActionsGranted(Message):
    """Grants of the last hour, in the sessions of a partition. Readers add up all that they have read."""

    type: ClassVar[str] = "actions.granted"
    partition: int
    grants: tuple[GrantedAction, ...]


def grants_key(partition: int) -> str:
    return f"{SWITCH_KEY}/{partition}"
