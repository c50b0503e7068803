"""Number of processes of each service (`--instances`)."""

from collections.abc import Sequence

from tarsy_local.errors import LocalError

SERVICES = ("timeline", "websocket-gateway", "orchestrator", "tool-gateway", "summarizer", "notifier", "ingest")
MOST_INSTANCES = 20
INGESTS = 2
"""One process takes some 700 alerts a second, and leaves the second processor to the investigations."""

type InstanceCounts = dict[str, int]


class InvalidInstanceCountsError(LocalError):
    """The operator corrects the counts; the message says what may stand there."""


def parse_instance_counts(given: Sequence[str]) -> InstanceCounts:
    """From `tool-gateway=3`; one of each that is not named, and INGESTS. Raises InvalidInstanceCountsError."""
    found = {**dict.fromkeys(SERVICES, 1), "ingest": INGESTS}
    for text in given:
        service, _, number = text.partition("=")
        if service not in found:
            raise InvalidInstanceCountsError(
                f"--instances {text}: there is no such service; there are {', '.join(SERVICES)}."
            )
        if not number.isdecimal() or not 1 <= int(number) <= MOST_INSTANCES:
            raise InvalidInstanceCountsError(
                f"--instances {text}: it takes a number from 1 to {MOST_INSTANCES}, as in {service}=3."
            )
        found[service] = int(number)
    return found
