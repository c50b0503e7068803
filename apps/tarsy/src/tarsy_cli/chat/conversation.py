"""Questions one after the other: of a person at a terminal, or line by line from a file. Blank lines are none."""

import readline  # noqa: F401 - input() edits its line with it
import sys
from collections.abc import Callable, Iterable, Iterator

from tarsy_cli.chat.reply import Reply

PROMPT = "> "


def converse(questions: Iterable[str], ask: Callable[[str], Reply], tell: Callable[[Reply], None]) -> bool:
    """True when every question was answered."""
    well = True
    for question in questions:
        reply = ask(question)
        tell(reply)
        well = well and reply.completed
    return well


def read_typed_questions() -> Iterator[str]:
    """Until the end of input, or Ctrl+C at the prompt."""
    while True:
        try:
            question = input(PROMPT)
        except (EOFError, KeyboardInterrupt):
            sys.stdout.write("\n")
            return
        if question.strip():
            yield question


def read_piped_questions() -> Iterator[str]:
    for line in sys.stdin:
        if line.strip():
            yield line.rstrip("\n")
