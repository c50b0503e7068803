"""Reading of a request that asks for an act."""

from collections.abc import Callable, Mapping

from fastapi import Request

from tarsy_auth.identity import Identity
from tarsy_contracts.messages.audit import ActRequested, AuditDoor
from tarsy_service.access.caller import LONGEST_AUTHOR, NOBODY, caller_of, identity_of
from tarsy_service.http.metrics import route_of

MOST_CHARACTERS = 200
"""Limit of each value. It is cut after masking: half a secret is not recognised."""
SESSION = "session_id"


def describe_request(request: Request, mask: Callable[[str], str]) -> ActRequested:
    """`request` has been routed. Raises ProblemError for an idempotency key that cannot be one."""
    target = {key: str(value) for key, value in request.path_params.items()}
    return act_of(request, mask, caller_of(request).name, identity_of(request), target)


def act_of(
    request: Request, mask: Callable[[str], str], name: str, identity: Identity | None, target: Mapping[str, str]
) -> ActRequested:
    """The act of the caller with this name, and this identity if there was an authentication."""

    def shown(text: str) -> str:
        return mask(text)[:MOST_CHARACTERS]

    about = {key: shown(value) for key, value in target.items()}
    return ActRequested(
        act=f"{request.method} {route_of(request.scope)}",
        name=mask(name)[:LONGEST_AUTHOR],
        door=_door_of(identity, name),
        credential="" if identity is None else shown(identity.credential),
        role="" if identity is None else identity.role.label,
        # A proxy copies it from a header, which the caller may have written.
        address=shown(request.client.host) if request.client is not None else "",
        session_id=about.pop(SESSION, ""),
        target=about,
    )


def _door_of(identity: Identity | None, name: str) -> AuditDoor:
    if identity is not None:
        return identity.door
    return "nobody" if name == NOBODY else "forwarded_user"
