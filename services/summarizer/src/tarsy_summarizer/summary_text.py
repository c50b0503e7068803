"""Text of a summary as the agent reads it. Pure."""

CHARACTERS_PER_TOKEN = 4
TIMES_TOO_LONG = 2
"""A model that writes more than this many times the wanted length is cut off by us."""
CUT_MARK = "\n[The summary ends here: the model had no room left. The rest of the result was not summarized.]"
TOO_LONG_MARK = "\n[The summary was longer than it should be, and ends here.]"


def summary_text(text: str, *, cut: bool, max_tokens: int, note: str = "") -> str:
    """The text with a mark where it ends too early: part of a summary is worth more than none. `note` stands behind."""
    return "\n\n".join(part for part in (_bound_text(text, cut=cut, max_tokens=max_tokens), note) if part)


def ends_too_early(text: str, *, cut: bool, max_tokens: int) -> bool:
    """`cut`: the model had no room left."""
    return cut or len(text) > _to_most_characters(max_tokens)


def _bound_text(text: str, *, cut: bool, max_tokens: int) -> str:
    most = _to_most_characters(max_tokens)
    if len(text) > most:
        space = text.rfind(" ", 0, most)
        return text[: space if space >= 0 else most].rstrip() + TOO_LONG_MARK
    return text.rstrip() + CUT_MARK if cut else text


def _to_most_characters(max_tokens: int) -> int:
    return max_tokens * CHARACTERS_PER_TOKEN * TIMES_TOO_LONG
