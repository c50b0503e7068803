"""Agents of a stage as a tree: each before those that it has sent."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from tarsy_local.terminal_text import one_line

TASK_CHARACTERS = 120


class NestedAgent(Protocol):
    @property
    def execution_id(self) -> str: ...

    @property
    def parent_execution_id(self) -> str | None: ...


def nest_agents[A: NestedAgent](agents: Sequence[A]) -> Iterator[tuple[int, A]]:
    """Yields each with its depth. One whose parent is not among them stands by itself."""
    known = {agent.execution_id for agent in agents}
    yield from _nest(agents, [one for one in agents if one.parent_execution_id not in known], 0)


def _nest[A: NestedAgent](agents: Sequence[A], level: Sequence[A], depth: int) -> Iterator[tuple[int, A]]:
    for agent in level:
        yield depth, agent
        yield from _nest(agents, [one for one in agents if one.parent_execution_id == agent.execution_id], depth + 1)


def shorten_task(task: str) -> str:
    line = one_line(task)
    return line if len(line) <= TASK_CHARACTERS else f"{line[: TASK_CHARACTERS - 1]}…"
