"""Public HTTP route with the caller's own identity."""

from datetime import UTC, datetime

from fastapi import APIRouter, Request

from tarsy_contracts.api.me import Me
from tarsy_contracts.wire.envelope import wire_time
from tarsy_service.access.caller import caller_of, identity_of
from tarsy_service.http.described_routes import AUTHOR, INVALID, describe_answers, describe_headers


def me_routes() -> APIRouter:
    router = APIRouter(prefix="/api/v1", tags=["system"])

    @router.get(
        "/me",
        summary="Who the caller is",
        responses=describe_answers("Name, role and end of the credential of this request.", {400: INVALID}),
        openapi_extra=describe_headers(AUTHOR),
    )
    async def get_me(request: Request) -> Me:
        """The caller, as this request shows him: his name goes on the record of what he does."""
        identity, name = identity_of(request), caller_of(request).name
        if identity is None:
            return Me(name=name, role=None, door=None, expires_at=None)
        ends, groups = identity.expires_at, identity.session_groups
        return Me(
            name=name,
            role=identity.role.label,
            door=identity.door,
            expires_at=None if ends is None else wire_time(datetime.fromtimestamp(ends, UTC)),
            session_groups=None if groups is None else tuple(group.name for group in groups),
        )

    return router
