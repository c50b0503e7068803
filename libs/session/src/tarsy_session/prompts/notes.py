"""Notes to an agent on its way. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from tarsy_contracts.citations import cite
from tarsy_contracts.native_calls import WebSource, describe_source
from tarsy_session.text import fence, render_time

NUDGE = "Your last answer was empty. Call a tool, or write your final answer."

CONCLUDE = (
    "That was your last turn with tools: no call will be made any more. Write your final answer now, from what you"
    " have. Keep apart what you found, what is likely, and what you did not get to see."
)

BE_CONCISE = (
    "Your last answer said the same again and again, and was broken off. Go on without repeating anything: the next"
    " call, or your final answer in few words."
)


TIME_NEARLY_UP = (
    "The time is nearly up: no tool can be called any more. Conclude from what you have, and say what you could not"
    " look at."
)

ANSWER_NOW = (
    "No call is made any more, and your last answer had no words. Write your final answer now, from what you have."
)

CALL_AGAIN = (
    "Your last answer could not be read: a call in it was malformed. Make the call again, with its arguments as one"
    " JSON object, or write your final answer."
)

WRITE_LESS = (
    "Your last answer was cut at the limit of its length before it had said what to do. Think and write less: the next"
    " call, or your final answer in few words."
)

UNREAD_CALL = (
    "Your last answer had a call written into its text, which could not be read, so nothing was done. Call the tool as"
    " a function call, or write your final answer without one."
)


def note_same_call(numbers: Sequence[int]) -> str:
    """The answer to a call that was made before with the same arguments."""
    cited = " and ".join(cite(number) for number in numbers if number)
    earlier = f" ({cited})" if cited else ""
    return (
        f"You have made this call with these arguments {len(numbers)} times already{earlier}."
        " It was not made again. Read what it returned, ask for something else, or conclude."
    )


def note_loaded_before(name: str, number: int) -> str:
    """Instead of a skill that another call of the same answer has loaded."""
    return f"[{name}: {cite(number)} of this answer has loaded it.]"


def note_tools_left_out(names: Sequence[str]) -> str:
    return (
        f"[The provider does not take these tools of yours, so you have to do without them: {', '.join(names)}. Name"
        " what you could not look at as a limit of your analysis.]"
    )


def note_left_out(lines: int, size: int, read_on: "ReadOn | None") -> str:
    again = _explain_how_to_read_on("read it again", read_on)
    return f"[This result ({lines} lines, {size} bytes) was left out here to make the conversation shorter.{again}]"


def note_shortened(lines: int, size: int, read_on: "ReadOn | None") -> str:
    inside = _explain_how_to_read_on("read in it", read_on)
    return f"[The result had {lines} lines ({size} bytes). It is shortened to make the conversation fit.{inside}]"


def note_sources(sources: Sequence[WebSource]) -> str:
    """The pages behind an answer, with the numbers by which the agent cites them."""
    lines = "\n".join(map(describe_source, sources))
    return f"[Pages that were found, by the numbers that cite them.]\n\n{fence('PAGES', lines)}"


def note_call(number: int) -> str:
    """The first line above a result: what the agent cites. Empty for a call of a log of before citations."""
    return cite(number) if number else ""


def note_result(at: datetime, iteration: int, most: int) -> str:
    """The line above a result: ages that are told in it are counted from this time."""
    return f"[{render_time(at)}, iteration {iteration} of {most}]"


def note_too_many_calls(count: int, most: int) -> str:
    return (
        f"You asked for {count} calls at once. Only the first {most} were made, which is the most that one answer may"
        " bring. Ask for those of the others that you still need."
    )


def note_broken_off(seconds: float) -> str:
    """The last answer took too long."""
    return (
        f"Your last answer was not complete after {seconds:g} seconds, and was broken off. Think and write less this"
        " time: the next call, or your final answer."
    )


@dataclass(frozen=True, slots=True)
class ReadOn:
    """The tool and the id with which the agent can read on in a result."""

    tool: str
    result: str


def note_summary(lines: int, size: int, read_on: ReadOn | None = None) -> str:
    how = _explain_how_to_read_on("read in it", read_on)
    return f"[The result had {lines} lines ({size} bytes). This is a summary of it.{how}]"


def note_same_summary(lines: int, size: int, earlier: int, read_on: ReadOn | None = None) -> str:
    """`earlier`: the number of the call that returned the same; 0 where it has none."""
    call = f"call {earlier}" if earlier else "an earlier call"
    same = f"the same as {call} returned. This is the summary of that again."
    return f"[The result had {lines} lines ({size} bytes): {same}{_explain_how_to_read_on('read in it', read_on)}]"


def note_cut(lines: int, size: int, shown: str, read_on: ReadOn | None = None) -> str:
    on = _explain_how_to_read_on("read on", read_on, f", {_offset_behind(shown)}")
    return f"[The result had {lines} lines ({size} bytes). This is its beginning; the rest was left out.{on}]"


def note_outcome_known(tool: str, result: str, outcome: str, *, cut: bool) -> str:
    """The note on a call that had ended as unknown, and whose outcome came later."""
    part = " This is the beginning of it." if cut else ""
    return (
        f'[The outcome of your earlier call of {tool} (result "{result}") was unknown. It is known now: {outcome}.'
        f" What it returned follows.{part}]"
    )


def note_learned(*, cut: bool) -> str:
    part = " This is the beginning of the result." if cut else ""
    return f"[The outcome was unknown at first, and became known later.{part}]"


def _explain_how_to_read_on(read: str, read_on: ReadOn | None, where: str = "") -> str:
    return "" if read_on is None else f' To {read}: {read_on.tool} with result "{read_on.result}"{where}.'


def _offset_behind(shown: str) -> str:
    """Returns the line at which the tool has to begin after what was shown, counted from 0."""
    begun = len(shown[shown.rfind("\n") + 1 :].encode())
    line = shown.count("\n")
    return f"offset {line}, byte {begun}" if begun else f"offset {line}"


def render_tool_result(content: str) -> str:
    """Renders a tool's result, or its summary. A note on it stands before it, outside of the marks."""
    return fence("TOOL RESULT", content)
