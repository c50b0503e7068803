"""What an agent is told on its way. Pure."""

from tarsy_orchestrator.prompts.fences import fenced

NUDGE = "Your last answer was empty. Call a tool, or write your analysis."

CONCLUDE = (
    "That was your last turn with tools: no call will be made any more. Write your analysis now, from what you have."
    " Keep apart what you found, what is likely, and what you did not get to see."
)

BE_CONCISE = (
    "Your last answer said the same again and again, and was broken off. Go on without repeating anything: the next"
    " call, or your analysis in few words."
)


def broken_off(seconds: float) -> str:
    """The last answer took too long."""
    return (
        f"Your last answer was not complete after {seconds:g} seconds, and was broken off. Think and write less this"
        " time: the next call, or your analysis."
    )


def summary_note(lines: int, size: int) -> str:
    return f"[The result had {lines} lines ({size} bytes). This is a summary of it.]"


def cut_note(lines: int, size: int) -> str:
    return f"[The result had {lines} lines ({size} bytes). This is its beginning; the rest was left out.]"


def tool_result(content: str) -> str:
    """What a tool returned, or the summary of it. A note on it stands before it, outside of the marks."""
    return fenced("TOOL RESULT", content)
