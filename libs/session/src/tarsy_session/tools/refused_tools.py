"""Tools that a provider refuses: the agent goes on without them. Pure."""

from collections.abc import Sequence

from tarsy_contracts import events as e
from tarsy_contracts.builtin_tools import OWN_SERVER
from tarsy_session.state import Execution


def find_refused_tools(execution: Execution, failed: e.LlmCallFailed) -> tuple[str, ...]:
    """Returns the names of those that are left out from now on; empty where the refusal names none that it has.

    The last ones of the servers with most are left out where they are too many: each server keeps some.
    """
    offered = [tool for tool in execution.tools if tool.definition.name not in execution.left_out]
    named = [tool.definition.name for tool in offered if tool.definition.name in failed.refused_tools]
    if named or failed.most_tools is None:
        return tuple(named)
    kept = [tool for tool in offered if tool.server != OWN_SERVER]
    return tuple(_choose_tools_beyond(kept, failed.most_tools - (len(offered) - len(kept))))


def _choose_tools_beyond(tools: Sequence[e.OfferedTool], most: int) -> list[str]:
    by_server: dict[str, list[str]] = {}
    for tool in tools:
        by_server.setdefault(tool.server, []).append(tool.definition.name)
    return [max(by_server.values(), key=len).pop() for _ in range(min(len(tools) - most, len(tools)))]
