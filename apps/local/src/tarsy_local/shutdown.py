"""Stop of a running instance (`tarsy down`)."""

import time

from tarsy_local.errors import LocalError
from tarsy_local.instance import Home

STOP_SECONDS = 60.0
LOOK_SECONDS = 0.1


class StopTooSlowError(LocalError):
    """The instance got the signal and still runs. The operator waits, or ends it."""


def stop_and_wait(home: Home) -> bool:
    """False when nothing runs. Raises StopTooSlowError after STOP_SECONDS."""
    instance = home.find_running()
    if instance is None:
        return False
    home.stop(instance)
    limit = time.monotonic() + STOP_SECONDS
    while home.find_running() is not None:
        if time.monotonic() > limit:
            raise StopTooSlowError(
                f"Process {instance.pid} still runs after {STOP_SECONDS:g} seconds; its log may say why."
            )
        time.sleep(LOOK_SECONDS)
    return True
