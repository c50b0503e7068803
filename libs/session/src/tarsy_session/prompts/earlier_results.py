"""Earlier results for the one who summarizes another: bounded, and the cited and the newest keep most. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from string import Template

from tarsy_contracts.citations import list_cited_calls
from tarsy_session.prompts.histories import compose_steps
from tarsy_session.prompts.material import HistoryStep, Statement, ToolUse
from tarsy_session.text import MARK_ROOM, shorten

SHARES = 4
"""The first result in the order of their worth may take a quarter of the room, the next a quarter of the rest."""
SHORTENED = Template("[Results of earlier calls are shortened here to $kept of $whole characters. The agent saw more.]")


def compose_earlier_steps(steps: Sequence[HistoryStep], limit: int, *, results: int) -> str:
    """`limit`: characters of all of them, `results`: of the results among them."""
    needs = {index: len(step.content) for index, step in enumerate(steps) if isinstance(step, ToolUse)}
    whole = sum(needs.values())
    if whole <= results:
        return compose_steps(steps, limit)
    rooms = _share_characters(needs, _sort_by_worth(steps), results)
    shortened = [_shorten_result(step, rooms.get(index, 0)) for index, step in enumerate(steps)]
    kept = sum(min(rooms[index], need) for index, need in needs.items())
    note = SHORTENED.substitute(kept=kept, whole=whole)
    return f"{note}\n\n{compose_steps(shortened, limit - len(note))}"


def _share_characters(needs: dict[int, int], by_worth: Sequence[int], total: int) -> dict[int, int]:
    """Each keeps at least an equal share of half of the room; the rest goes to the worthiest."""
    least = total // 2 // len(needs)
    rooms = {index: min(need, least) for index, need in needs.items()}
    left = total - sum(rooms.values())
    for index in by_worth:
        more = min(needs[index] - rooms[index], max(left // SHARES, min(left, MARK_ROOM)))
        rooms[index] += more
        left -= more
    return rooms


def _sort_by_worth(steps: Sequence[HistoryStep]) -> list[int]:
    """Places of results: those that the agent cited, the latest words first, then the newest."""
    indexes = {step.number: index for index, step in enumerate(steps) if isinstance(step, ToolUse) and step.number}
    cited = [indexes[number] for number in _cited_calls(steps) if number in indexes]
    newest = [index for index, step in enumerate(steps) if isinstance(step, ToolUse)][::-1]
    return list(dict.fromkeys([*cited, *newest]))


def _cited_calls(steps: Sequence[HistoryStep]) -> Iterator[int]:
    for step in reversed(steps):
        if isinstance(step, Statement):
            yield from list_cited_calls(f"{step.thinking}\n{step.text}")


def _shorten_result(step: HistoryStep, capacity: int) -> HistoryStep:
    return replace(step, content=shorten(step.content, capacity)) if isinstance(step, ToolUse) else step
