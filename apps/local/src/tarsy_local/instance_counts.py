"""How many processes of each service."""

from collections.abc import Sequence

SERVICES = ("timeline", "websocket-gateway", "orchestrator", "tool-gateway", "summarizer", "ingest")
MOST = 20

type Instances = dict[str, int]


class InstancesInvalid(Exception):
    """The message says what may stand there."""


def read_instances(given: Sequence[str]) -> Instances:
    """From `tool-gateway=3`; one of each that is not named. Raises InstancesInvalid."""
    found = dict.fromkeys(SERVICES, 1)
    for text in given:
        service, _, number = text.partition("=")
        if service not in found:
            raise InstancesInvalid(f"--instances {text}: there is no such service; there are {', '.join(SERVICES)}.")
        if not number.isdecimal() or not 1 <= int(number) <= MOST:
            raise InstancesInvalid(f"--instances {text}: it takes a number from 1 to {MOST}, as in {service}=3.")
        found[service] = int(number)
    return found
