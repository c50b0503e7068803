"""Output on a terminal that is not UTF-8: characters that it does not have are written in others."""

import codecs
from typing import TextIO

ERRORS = "tarsy.plain"
PLAIN = {
    "…": "...",
    "←": "<-",
    "→": "->",
    "·": "-",
    "•": "*",
    "–": "-",
    "—": "-",
    "“": '"',
    "”": '"',
    "‘": "'",
    "’": "'",
    "✓": "+",
    "✗": "x",
    "×": "x",
    "─": "-",
    "│": "|",
}
UNKNOWN = "?"


def write_plainly(problem: UnicodeError) -> tuple[str, int]:
    """An error handler of codecs. Raises what is no error of encoding."""
    if not isinstance(problem, UnicodeEncodeError):
        raise problem
    lost = problem.object[problem.start : problem.end]
    return "".join(PLAIN.get(one, UNKNOWN) for one in lost), problem.end


def use_plain_characters(*streams: TextIO) -> None:
    """Where a stream cannot write all characters, it writes others in the place of those."""
    codecs.register_error(ERRORS, write_plainly)
    for stream in streams:
        if not (stream.encoding or "").lower().replace("-", "").startswith("utf") and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors=ERRORS)
