"""REST answers to what people ask of a session: cancel, release, retry, fail."""

from tarsy_contracts.api.model import ApiModel


class SessionRequestGranted(ApiModel):
    """The owner of the session has decided so."""

    session_id: str
    request_id: str
    message: str


class SessionRequestPending(ApiModel):
    """The request was taken in, and is not answered yet. `location` is where to look."""

    session_id: str
    request_id: str
    message: str
    location: str
