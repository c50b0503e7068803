"""Excerpts of long results, on one core: MB/s of CPU by kind of text, growth with hostile texts, and memory."""

import argparse
import random
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

from masking import logs
from saying import load_told, say

from tarsy_summarizer.settings import SummarizerSettings
from tarsy_summary_prompt.excerpt import Excerpt, ExcerptText
from tarsy_summary_prompt.focus import Focus

MB = 1_000_000
SIZE = 10_800_000
GROWTH = (MB, 2 * MB, 4 * MB)
PIECE_BYTES = 512 * 1024
BUDGET_BYTES: int = SummarizerSettings.model_fields["summary_input_bytes"].default
FOCUS = Focus(near=datetime(2026, 11, 23, 12, tzinfo=UTC), alert_began=datetime(2026, 11, 23, 10, tzinfo=UTC))
AT_ONCE = 2
"""As in the summarizer."""
MEMORY_ROUNDS = 4
MEMORY_OPTION = "--memory-of-this-process"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(MEMORY_OPTION, action="store_true", help="only the memory, of this very process")
    if parser.parse_args().memory_of_this_process:
        say_memory()
        return
    with load_told():
        for name, make in KINDS.items():
            text = make(SIZE)
            seconds = took(text)
            say(f"{name}: {len(text) / MB:.1f} MB in {seconds:.2f} s of CPU: {len(text) / MB / seconds:.0f} MB/s")
        for name, make in HOSTILE.items():
            figures = " / ".join(f"{took(make(size)):.2f}" for size in GROWTH)
            say(f"hostile: {name}: {figures} s for {' / '.join(str(size // MB) for size in GROWTH)} MB")
        # In a process of its own: here all those texts have been made.
        found = subprocess.run(
            [sys.executable, Path(__file__), MEMORY_OPTION], check=True, capture_output=True, text=True
        )
        say(found.stdout.strip())


def took(text: bytes) -> float:
    """CPU seconds of this process: others are on the machine too."""
    began = time.process_time()
    shorten(text)
    return time.process_time() - began


def shorten(text: bytes) -> ExcerptText:
    excerpt = Excerpt(BUDGET_BYTES, FOCUS)
    for start in range(0, len(text), PIECE_BYTES):
        excerpt.take(text[start : start + PIECE_BYTES])
    return excerpt.finish()


def say_memory() -> None:
    text = routine_log(SIZE)
    before = resident_mb()
    # The peak begins anew: making the text took more than shortening it does.
    Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")
    after: list[float] = []
    with ThreadPoolExecutor() as threads:
        for _ in range(MEMORY_ROUNDS):
            list(threads.map(shorten, [text] * AT_ONCE))
            after.append(resident_mb())
    peak = resident_mb("VmHWM")
    said = ", ".join(f"{one - before:.0f}" for one in after)
    what = f"memory of {AT_ONCE} excerpts of {SIZE / MB:.1f} MB at once"
    say(f"{what}: peak {peak - before:.0f} MB, after each: {said} MB")


def resident_mb(field: str = "VmRSS") -> float:
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(status.partition(f"{field}:")[2].split()[0]) / 1024


def routine_log(size: int) -> bytes:
    chance = random.Random(7)
    return filled(size, lambda _: logs(chance, secret=False))


def troubled_log(size: int) -> bytes:
    """Each line is trouble, in one of six kinds."""
    return filled(size, lambda number: f"{number} routine ERROR of kind {'abcdef'[number % 6]}: é\n")


def alike(size: int) -> bytes:
    return filled(size, lambda number: f"retry {number} in 5 s after an error\n")


def one_line(size: int) -> bytes:
    return "".join(random.Random(7).choices("abcdefg ,", k=size)).encode()


def kinds_without_end(size: int) -> bytes:
    chance = random.Random(7)
    return filled(size, lambda _: "fail " + "".join(chance.choices("ghijklmnop", k=4)) + "\n")


def short_lines(size: int) -> bytes:
    return b"g\nh\n" * (size // 4)


def uncertain(size: int) -> bytes:
    """Lines whose weight cannot be remembered."""
    return filled(size, lambda number: f"{number:08}fail x509\n{number:08}g x510\n")


def filled(size: int, line: Callable[[int], str]) -> bytes:
    lines: list[str] = []
    length = 0
    while length < size:
        lines.append(line(len(lines)))
        length += len(lines[-1])
    return "".join(lines).encode()


KINDS: dict[str, Callable[[int], bytes]] = {
    "log with trace ids": routine_log,
    "log of trouble only": troubled_log,
    "lines all alike": alike,
    "one line": one_line,
}
HOSTILE: dict[str, Callable[[int], bytes]] = {
    "each line another kind of trouble": kinds_without_end,
    "lines of one letter": short_lines,
    "ids grown into words": uncertain,
}

if __name__ == "__main__":
    main()
