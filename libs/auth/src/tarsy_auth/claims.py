"""Claims of a token that was checked: its times, a name, a role."""

from collections.abc import Mapping

from pydantic import JsonValue

from tarsy_auth.auth_config import GroupClaim, RoleClaim, is_name
from tarsy_auth.roles import Role

type Claims = Mapping[str, JsonValue]

EMAIL = "email"
EMAIL_VERIFIED = "email_verified"


def claim_at(claims: Claims, path: str) -> JsonValue:
    """A claim may have dots in its own name (`https://example.com/groups`): that name comes first."""
    if path in claims:
        return claims[path]
    found: JsonValue = dict(claims)
    for part in path.split("."):
        found = found.get(part) if isinstance(found, dict) else None
    return found


def time_at(claims: Claims, name: str) -> float | None:
    """Seconds since 1970; None without the claim. Raises ValueError for what is no time."""
    value = claims.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1 << 53:
        raise ValueError(f"{name} is no time")
    return float(value)


def name_in(claims: Claims, path: str) -> str | None:
    """None without a name that can go on the record."""
    # Some providers let everybody enter any address as long as it is not confirmed.
    if path == EMAIL and claims.get(EMAIL_VERIFIED) in (False, "false"):
        return None
    value = claim_at(claims, path)
    return value if isinstance(value, str) and is_name(value) else None


def role_in(claims: Claims, roles: RoleClaim) -> Role | None:
    """The highest that a value gives; None without any."""
    return max((roles.values[one] for one in _values_at(claims, roles.claim) if one in roles.values), default=None)


def group_names_in(claims: Claims, groups: GroupClaim) -> tuple[str, ...] | None:
    """Those that the values give together, each once; None where one of them gives all sessions."""
    found: dict[str, None] = {}
    for one in _values_at(claims, groups.claim):
        names = groups.values.get(one, ())
        if names is None:
            return None
        found |= dict.fromkeys(names)
    return tuple(found)


def _values_at(claims: Claims, path: str) -> list[str]:
    value = claim_at(claims, path)
    return [one for one in (value if isinstance(value, list) else [value]) if isinstance(one, str)]
