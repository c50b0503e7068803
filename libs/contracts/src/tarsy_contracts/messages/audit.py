"""Audit records: who asked TARSy to change something."""

from typing import ClassVar, Literal

from pydantic import Field

from tarsy_contracts.wire.message import Message

type AuditDoor = Literal["api_key", "token", "webhook", "forwarded_user", "nobody"]
"""Evidence of who it was. `forwarded_user`: a proxy in front, without authentication of ours; `nobody`: nothing."""


class ActRequested(Message):
    """Somebody asked for something that changes something. On record before it is done; it may have been refused.

    `act` is the method and the route, with the names of its parameters; `target` has their values. The session of an
    alert is not known yet. `credential` names the key, the provider of the token, or the webhook; `address` is where
    the request came from, as far as proxies tell it. `times`: so many requests with all of this came while the record
    before them was written.
    """

    type: ClassVar[str] = "act.requested"
    act: str
    name: str
    door: AuditDoor
    credential: str = ""
    role: str = ""
    address: str = ""
    session_id: str = ""
    target: dict[str, str] = Field(default_factory=dict)
    times: int = Field(1, ge=1)
