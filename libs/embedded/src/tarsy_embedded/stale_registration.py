"""Stale registration: that of a broker which was killed, and which its controller believes alive.

The controller is in the same process, and was killed with it. Before it registers the new broker, it waits for the old
one's session to expire (9 s; 12 with pauses). But we know that the old one is dead, for we hold the
lock of its data: so its registration is removed.
"""

import time
from collections.abc import Callable
from contextlib import suppress

from tarsy_embedded.kafka_protocol import NO_SUCCESS, unregister_broker

_REFUSED = "because the controller returned error DUPLICATE_BROKER_REGISTRATION"
_FRESH_SECONDS = 3.0
"""Much less than the session. Later the new broker may be registered, which must stay."""


class StaleRegistration:
    """One start of the only broker of its controller. `output`: all that the broker has written since it began."""

    def __init__(self, controller_port: int, broker: int, password: str | None, output: Callable[[], str]) -> None:
        self._controller_port = controller_port
        self._broker = broker
        self._password = password
        self._output = output
        self._looked_at = time.monotonic()
        self._is_known = False

    def remove_if_refused(self) -> None:
        """To be called often while the broker starts. Acts once, and only where the broker was just refused.

        If it fails, the session of the old broker is waited for.
        """
        if self._is_known:
            return
        looked_at = time.monotonic()
        self._is_known = _REFUSED in self._output()
        is_fresh = looked_at - self._looked_at < _FRESH_SECONDS
        self._looked_at = looked_at
        if self._is_known and is_fresh:
            with suppress(*NO_SUCCESS):
                unregister_broker(self._controller_port, self._broker, self._password)
