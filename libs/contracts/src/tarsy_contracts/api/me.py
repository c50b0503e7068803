"""REST answer with the caller's own identity."""

from tarsy_contracts.api.model import ApiModel, Timestamp


class Me(ApiModel):
    """`role`: viewer, responder, operator or admin. `door`: the kind of credential (api_key, token, webhook).

    Both are null where nobody is authenticated: the name is what a proxy says then. `expires_at`: when the credential
    counts no longer; null where that is not known before. `session_groups`: the groups whose sessions the caller sees;
    null where he sees all.
    """

    name: str
    role: str | None
    door: str | None
    expires_at: Timestamp | None
    session_groups: tuple[str, ...] | None = None
