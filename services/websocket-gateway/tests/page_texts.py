"""Literal text in modules of the page, and the keys of its catalogue: read from the source, without running it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

HOLE = "\0"
"""It stands in a template for each `${...}`."""
TAG = re.compile(r"""<(?:"[^"]*"|'[^']*'|[^<>"'])*>""")
READ_OUT = re.compile(r'\b(?:aria-label|title|placeholder|alt|label|question|yes|no|about|empty)="([^"]*)"')
"""Attributes of elements and of our components that people read or hear."""
TWO_LETTERS = re.compile(r"[^\W\d_]{2}")
PHRASE = re.compile(r"[A-Z][a-z]|.*[^\W\d_]{2}[,.:;]? [^\W\d_]{2}|.*…", re.S)
"""A string that is for people: it begins with a capital letter, or has two words or an ellipsis."""
REGEX_AFTER = re.compile(r"(?:[(,=:\[!&|?{};>]|\breturn|\A)\s*\Z")
REGEX = re.compile(r"/(?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\\n\[])+/[a-z]*")
STRING = re.compile(r""""((?:\\.|[^"\\])*)"|'((?:\\.|[^'\\])*)'""")
COMMENT_OR_STRING = re.compile(r"""("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/""", re.S)
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
ENTRY = re.compile(r"""(?:"([^"]+)"|(\w+)):\s*(?:(\{)|"((?:[^"\\]|\\.)*)")|(\})""")


@dataclass(slots=True)
class Literals:
    """The strings and templates of a module. A template has `HOLE` for each value."""

    strings: list[str] = field(default_factory=list)
    html: list[str] = field(default_factory=list)


def literal_texts(source: str) -> Iterator[str]:
    """Texts of a module that people would read, and that do not come from the catalogue."""
    found = Literals()
    read_code(source, 0, found)
    for template in found.html:
        yield from (text.strip() for text in TAG.split(template) if TWO_LETTERS.search(text))
        for tag in TAG.findall(template):
            yield from (value for value in READ_OUT.findall(tag) if TWO_LETTERS.search(value))
    yield from (text for text in found.strings if PHRASE.match(text))


def read_code(source: str, at: int, found: Literals) -> int:
    """Reads until the end, or behind the brace that ends a value of a template; returns where that is."""
    depth = 0
    while at < len(source):
        if match := COMMENT.match(source, at):
            at = match.end()
        elif match := STRING.match(source, at):
            found.strings.append(match[1] or match[2] or "")
            at = match.end()
        elif source[at] == "`":
            at = _read_template(source, at, found)
        elif (
            source[at] == "/" and REGEX_AFTER.search(source, max(0, at - 20), at) and (match := REGEX.match(source, at))
        ):
            at = match.end()
        else:
            depth += {"{": 1, "}": -1}.get(source[at], 0)
            at += 1
            if depth < 0:
                return at
    return at


def _read_template(source: str, at: int, found: Literals) -> int:
    """Reads a template from its first backtick; returns where it has ended."""
    kind = found.html if source.endswith("html", 0, at) else found.strings
    text = ""
    at += 1
    while source[at] != "`":
        if source.startswith("${", at):
            at = read_code(source, at + 2, found)
            text += HOLE
        else:
            step = 2 if source[at] == "\\" else 1
            text += source[at : at + step]
            at += step
    kind.append(text)
    return at + 1


def messages(catalogue: str) -> Iterator[tuple[str, str]]:
    """The keys of a catalogue and their texts; of a plural, each form."""
    path: list[str] = []
    for quoted, plain, opens, text, closes in ENTRY.findall(
        COMMENT_OR_STRING.sub(lambda found: found[1] or "", catalogue)
    ):
        if closes:
            path = path[:-1]
        elif opens:
            path.append(quoted or plain)
        else:
            yield ".".join([*path, quoted or plain]), text
