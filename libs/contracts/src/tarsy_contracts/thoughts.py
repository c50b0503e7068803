"""Thoughts that a model leaves in its text, between tags, because its server does not part the two. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

TAGS = (
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<seed:think>", "</seed:think>"),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
    ("<|channel|>analysis<|message|>", "<|end|>"),
)
CLOSING = dict(TAGS)
OPENING = re.compile("|".join(re.escape(opening) for opening, _ in TAGS))
ENDS_A_THOUGHT = re.compile(r"(?<!`)(?:</think>|\[/THINK\]|◁/think▷)")
"""A template may have written the opening tag: then only the closing one is in the answer."""
ALL_TAGS = tuple(tag for pair in TAGS for tag in pair)
LONGEST = max(map(len, ALL_TAGS))
FIRST_SIGN = re.compile(f"[{re.escape(''.join({tag[0] for tag in ALL_TAGS}))}]")

type Part = Literal["thinking", "text"]


@dataclass(frozen=True, slots=True)
class PartedText:
    """`unfinished`: the last thought has no end."""

    thoughts: str
    spoken: str
    unfinished: bool = False


def part_thoughts(text: str) -> PartedText:
    """A tag in backticks is a word about tags."""
    thoughts, spoken, position = list[str](), list[str](), 0
    first = OPENING.search(text)
    bare = ENDS_A_THOUGHT.search(text)
    if bare is not None and (first is None or bare.start() < first.start()):
        thoughts.append(text[: bare.start()])
        position = bare.end()
    while found := OPENING.search(text, position):
        if text[found.start() - 1 : found.start()] == "`":
            spoken.append(text[position : found.end()])
            position = found.end()
            continue
        spoken.append(text[position : found.start()])
        end = text.find(CLOSING[found.group()], found.end())
        if end < 0:
            thoughts.append(text[found.end() :])
            return PartedText(_join_thoughts(thoughts), "".join(spoken), unfinished=True)
        thoughts.append(text[found.end() : end])
        position = end + len(CLOSING[found.group()])
    if not thoughts:
        return PartedText("", text)
    spoken.append(text[position:])
    return PartedText(_join_thoughts(thoughts), "".join(spoken).strip())


def _join_thoughts(thoughts: list[str]) -> str:
    return "\n\n".join(thought.strip() for thought in thoughts if thought.strip())


class ThoughtParter:
    """Parts a text while it is streamed. The beginning of a tag is held back until more has come."""

    def __init__(self) -> None:
        self._held = ""
        self._closing = ""

    def take(self, text: str) -> Iterator[tuple[Part, str]]:
        """Yields each piece with the part that it belongs to."""
        rest, position = self._held + text, 0
        while found := self._find_next_tag(rest, position):
            at, tag = found
            yield from self._yield_part(rest[position:at])
            self._closing = "" if self._closing else CLOSING[tag]
            position = at + len(tag)
        end = len(rest) - _length_of_possible_tag(rest[max(position, len(rest) - LONGEST) :])
        self._held = rest[end:]
        yield from self._yield_part(rest[position:end])

    def end(self) -> Iterator[tuple[Part, str]]:
        held, self._held = self._held, ""
        yield from self._yield_part(held)

    def _yield_part(self, text: str) -> Iterator[tuple[Part, str]]:
        if text:
            yield ("thinking" if self._closing else "text"), text

    def _find_next_tag(self, text: str, position: int) -> tuple[int, str] | None:
        if self._closing:
            at = text.find(self._closing, position)
            return None if at < 0 else (at, self._closing)
        found = OPENING.search(text, position)
        return None if found is None else (found.start(), found.group())


def _length_of_possible_tag(tail: str) -> int:
    """The length of the end that may become a tag."""
    for found in FIRST_SIGN.finditer(tail):
        end = tail[found.start() :]
        if any(tag.startswith(end) for tag in ALL_TAGS):
            return len(end)
    return 0
