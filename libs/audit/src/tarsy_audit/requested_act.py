"""Reading of a request that asks for an act."""

from collections.abc import Callable

from fastapi import Request

from tarsy_auth.identity import Identity
from tarsy_contracts.audit import ActRequested, AuditDoor
from tarsy_service.caller import LONGEST_AUTHOR, NOBODY, caller_of, identity_of
from tarsy_service.http_metrics import route_of

MOST_CHARACTERS = 200
"""Limit of each value. It is cut after masking: half a secret is not recognised."""
SESSION = "session_id"


def requested_act(request: Request, mask: Callable[[str], str]) -> ActRequested:
    """`request` has been routed. Raises ProblemError for an idempotency key that cannot be one."""

    def shown(text: str) -> str:
        return mask(text)[:MOST_CHARACTERS]

    name, identity = caller_of(request).name, identity_of(request)
    target = {key: shown(str(value)) for key, value in request.path_params.items()}
    return ActRequested(
        act=f"{request.method} {route_of(request.scope)}",
        name=mask(name)[:LONGEST_AUTHOR],
        door=_door(identity, name),
        credential="" if identity is None else shown(identity.credential),
        role="" if identity is None else identity.role.label,
        # A proxy passes it on from a header, which whoever asks may have written.
        address=shown(request.client.host) if request.client is not None else "",
        session_id=target.pop(SESSION, ""),
        target=target,
    )


def _door(identity: Identity | None, name: str) -> AuditDoor:
    if identity is not None:
        return identity.door
    return "nobody" if name == NOBODY else "forwarded_user"
