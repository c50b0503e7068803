"""Exceptions of tarsy_websocket_gateway."""


class WebsocketGatewayError(Exception):
    """A subscription cannot begin or go on, or a login cannot end."""


class LoginNotRecordedError(WebsocketGatewayError):
    """Kafka has not taken the record of a login. The caller tries again."""


class NoSubscriptionError(WebsocketGatewayError):
    """A channel cannot be subscribed now. The caller reads code and message, and subscribes again later."""

    code = "unavailable"


class HistoryUnavailableError(NoSubscriptionError):
    """The history cannot be read now. The caller subscribes again later."""


class SessionNotFoundError(NoSubscriptionError):
    """Nobody knows the session, nor did it begin while the gateway waited. The caller corrects the id."""

    code = "unknown_session"


class AlertJoinedError(WebsocketGatewayError):
    """The id is none of a session: its alert joined `session_id`. The caller follows that one."""

    def __init__(self, session_id: str) -> None:
        super().__init__(session_id)
        self.session_id = session_id


class HeldTooMuchError(NoSubscriptionError):
    """More happened while the history was asked for than may wait. The caller subscribes again."""

    code = "too_much"


class PageError(WebsocketGatewayError):
    """A file of the page is written in a form that cannot be served. We correct the file."""
