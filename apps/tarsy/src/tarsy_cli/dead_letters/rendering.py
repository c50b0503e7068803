"""Dead letters on the terminal."""

from datetime import datetime

from rich.console import Console
from rich.text import Text

from tarsy_cli.console.units import format_size
from tarsy_contracts.api.dead_letters import DeadLetterDetail, DeadLetterList, DeadLetterRow
from tarsy_local.terminal_text import one_line, printable

NONE = "There is no such dead letter."
NO_SERVICE = "a service"
"""Letters of before do not name theirs."""


def print_letters(found: DeadLetterList, console: Console) -> None:
    if not found.letters:
        console.print(NONE, markup=False)
        return
    for letter in found.letters:
        console.print(Text(f"{_local_time(letter.buried_at)}  {letter.id}  {letter.status}", style="bold"))
        console.print(Text(f"  {_describe_origin(letter)}: {one_line(letter.reason)} ({_describe_size(letter)})"))
    if (more := found.total_items - len(found.letters)) > 0:
        console.print(f"and {more} older", markup=False)
    if found.forgotten:
        console.print(f"and {found.forgotten} more that are not listed", markup=False)


def print_letter(letter: DeadLetterDetail, console: Console) -> None:
    console.print(Text(f"{letter.id}  {letter.status}", style="bold"))
    came = "?" if letter.appended_at is None else _local_time(letter.appended_at)
    for line in (
        f"{_describe_origin(letter)} ({_describe_size(letter)})",
        f"reason: {one_line(letter.reason)}",
        f"came {came}, buried {_local_time(letter.buried_at)}",
        f"lies in dead-letters, partition {letter.stored_partition}, at {letter.stored_offset}",
    ):
        console.print(Text(line))
    if letter.redriven_at is not None:
        by = one_line(letter.redriven_by or "?")
        console.print(Text(f"re-driven {_local_time(letter.redriven_at)} by {by}"))
    if letter.refusal is not None:
        console.print(Text(f"cannot be re-driven: {one_line(letter.refusal)}", style="yellow"))
    for header in letter.headers:
        console.print(Text(f"  {one_line(header.name)}: {one_line(header.value)}"))
    for name, part in (("key", letter.key), ("value", letter.value)):
        if part is not None:
            console.print(Text(f"  {name}: {printable(part)}"))
    if letter.shortened:
        console.print(Text("… and more: `tarsy dead-letters show ID --raw` has all, unmasked", style="dim"))


def _describe_origin(letter: DeadLetterRow) -> str:
    service = one_line(letter.service) or NO_SERVICE
    return f"{service}, of {one_line(letter.topic)}-{letter.partition} at {letter.offset}"


def _describe_size(letter: DeadLetterRow) -> str:
    again = f", buried {letter.attempts} times" if letter.attempts > 1 else ""
    return f"{format_size(letter.size_bytes)}{', cut' if letter.cut else ''}{again}"


def _local_time(at: str) -> str:
    return f"{datetime.fromisoformat(at).astimezone():%m-%d %H:%M:%S}"
