"""Outages of Kafka: which errors pass by themselves, and waiting for the end of them."""

from collections.abc import Awaitable, Callable, Iterator

import structlog
from aiokafka import errors

from tarsy_bus.retries import retry

log = structlog.get_logger(__name__)

KAFKA_ERRORS = (errors.KafkaError, OSError)
"""Errors that aiokafka raises while Kafka is away, among others: see `passes`. A TimeoutError is an OSError."""
LASTING = (
    errors.AuthenticationFailedError,
    errors.AuthenticationMethodNotSupported,
    errors.CorruptRecordException,
    errors.GroupAuthorizationFailedError,
    errors.IllegalArgumentError,
    errors.IllegalSaslStateError,
    errors.IllegalStateError,
    errors.IncompatibleBrokerVersion,
    errors.InvalidSessionTimeoutError,
    errors.KafkaConfigurationError,
    errors.SaslAuthenticationFailed,
    errors.UnsupportedCodecError,
    errors.UnsupportedSaslMechanismError,
    errors.UnsupportedVersionError,
)
"""Mistakes of somebody: waiting mends none of them, or not here.

A right on a topic may be given back, and clients go on then. A client whose heartbeat was refused (its right on the
group was taken away) never sends another.
"""


def passes(problem: BaseException) -> bool:
    """It may be gone when one asks again. aiokafka does not mark each such error as `retriable`."""
    # A bare KafkaError is how aiokafka says that a task of the client has died: such a client never works again.
    died = type(problem) is errors.KafkaError
    return isinstance(problem, KAFKA_ERRORS) and not isinstance(problem, LASTING) and not died


async def wait_out[T](what: str, ask: Callable[[], Awaitable[T]], pauses: Iterator[float] | None = None) -> T:
    """The answer, however long Kafka is away: it asks again, after growing pauses. Raises what does not pass."""

    def failed(problem: Exception, pause: float) -> None:
        log.warning("kafka.waited_for", what=what, reason=repr(problem), pause_seconds=round(pause, 1))

    return await retry(ask, passes=passes, failed=failed, pauses=pauses)
