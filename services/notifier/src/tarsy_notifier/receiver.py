"""The interface of every receiver of notifications."""

from typing import Protocol

from tarsy_notifier.digest.weekly_digest import WeeklyDigest
from tarsy_notifier.notification import Notification


class NotificationReceiver(Protocol):
    """One place that is told. Attempts repeat, so that it should know a notification again by the id of its event."""

    async def send(self, notification: Notification) -> None:
        """Returns when the receiver has it. Raises NotificationRefusedError or ReceiverUnavailableError."""
        ...

    async def send_digest(self, digest: WeeklyDigest) -> None:
        """As `send`, and known again by its own id."""
        ...

    async def close(self) -> None:
        """Frees what it holds open."""
        ...
