"""Errors of a notification on its way to a receiver."""


class NotifierError(Exception):
    """A notification did not reach its receiver."""


class NotificationRefusedError(NotifierError):
    """The receiver refuses this notification, and would refuse it again. The operator finds it in the log."""


class ReceiverUnavailableError(NotifierError):
    """The receiver cannot be told now. The caller tries again, not before `after_seconds`."""

    def __init__(self, message: str, after_seconds: float = 0.0) -> None:
        super().__init__(message)
        self.after_seconds = after_seconds
