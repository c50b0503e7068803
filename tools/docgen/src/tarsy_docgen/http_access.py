"""Access as the OpenAPI document tells it: the credentials, the role that an operation needs, and the refusals."""

from collections.abc import Mapping

from pydantic import JsonValue

from tarsy_auth.roles import Role
from tarsy_ingest.rights import RIGHTS as INGEST_RIGHTS
from tarsy_service.access.rights import RouteRight
from tarsy_timeline.api.rights import RIGHTS as TIMELINE_RIGHTS
from tarsy_websocket_gateway.rights import RIGHTS as GATEWAY_RIGHTS

SCHEME = "bearer"
SCHEMES: Mapping[str, JsonValue] = {
    SCHEME: {
        "type": "http",
        "scheme": SCHEME,
        "description": "An API key (`tarsy_...`), or a token (JWT) of the OpenID provider. Without `TARSY_AUTH_FILE`"
        " none is needed.",
    }
}
NOBODY = "Nobody is known by the credential, or there is none."
TOO_LITTLE = "The operation needs the role {role}, and the credential has a lower one."
PROVIDER_AWAY = "The provider of the tokens cannot be asked now."
ROLE = "x-tarsy-role"

_BY_ROUTE: Mapping[tuple[str, str], RouteRight] = {
    (right.method.lower(), right.path): right for right in (*INGEST_RIGHTS, *TIMELINE_RIGHTS, *GATEWAY_RIGHTS)
}


def role_of_operation(method: str, path: str) -> Role | None:
    """None of an operation that is open for everybody. Raises KeyError for one that stands in no table of rights."""
    access = _BY_ROUTE[method, path].access
    return None if access == "open" else access


def security_of(role: Role | None) -> JsonValue:
    """Either of the two: the empty one is for a TARSy without authentication."""
    return [{}] if role is None else [{SCHEME: []}, {}]


def refusals_of(role: Role | None, reasons: Mapping[int, str]) -> Mapping[int, str]:
    """Problems that authentication adds; `reasons` are those of the operation itself."""
    if role is None:
        return {}
    lower = {403: TOO_LITTLE.format(role=role.label)} if role > Role.VIEWER else {}
    found = {401: NOBODY, **lower, 503: PROVIDER_AWAY}
    return {status: _joined(reasons.get(status), meaning) for status, meaning in found.items()}


def _joined(reasons: str | None, meaning: str) -> str:
    return meaning if reasons is None else f"{reasons} Or: {meaning[0].lower()}{meaning[1:]}"
