"""Where in its queue a request goes, and with it to which worker. Pure."""

from dataclasses import dataclass

from tarsy_contracts.identities import derived_id
from tarsy_contracts.topics import QUEUE_PARTITIONS
from tarsy_orchestrator.owed import OwedToolCall, QueuedCall
from tarsy_orchestrator.state import Execution, Investigating


@dataclass(frozen=True, slots=True)
class Route:
    key: str
    partition: int


def route_of(session_id: str, state: Investigating, owed: QueuedCall, attempt: int) -> Route:
    """What was given back goes to another worker, and so does what nobody claims when it was asked twice.

    The first repeat goes where the request went: a worker that is only slow knows the call, and does not run it again.
    A server that keeps state for each investigation is called by one worker as long as that one lives: all its
    calls go one way.
    """
    server = _own_session_at(state, owed)
    if server:
        key = f"{session_id}/{server}"
        return Route(key, _partition(key, 0))
    return Route(owed.id, _partition(owed.id, owed.releases + (attempt - 1) // 2))


def _own_session_at(state: Investigating, owed: QueuedCall) -> str:
    """The server, when it has a session for this investigation alone."""
    if not isinstance(owed, OwedToolCall):
        return ""
    requested = owed.call.requested
    execution = state.executions.get(requested.execution_id)
    isolated = execution is not None and _isolates(execution, requested.server)
    return requested.server if isolated else ""


def _isolates(execution: Execution, server: str) -> bool:
    return any(one.server == server and one.isolation == "session" for one in execution.agent.servers)


def _partition(key: str, place: int) -> int:
    return int(derived_id("attempt", key, place).replace("-", ""), 16) % QUEUE_PARTITIONS
