"""Sentences of docstrings, comments and documents that do not begin with their subject. Questions may."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

NO_SUBJECT = re.compile(
    r"(?:^|[.!?][\"`)*]* )[\"(*\[]*(?![^.!?]*\?)((?:What|Who|Whoever|Whatever|Whose|Of|So many)\b[^.]{0,60})"
)
MARKER = re.compile(r"^(?:[-*>]|\d+\.)\s+")
NEW_PARAGRAPH = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*>]|\d+\.)\s)")
FENCED = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)


def without_subject(file: Path) -> list[str]:
    """The beginnings of these sentences in a module or in a Markdown page. Headings are no sentences."""
    text = file.read_text("utf-8")
    paragraphs = _of_python(text) if file.suffix == ".py" else _of_markdown(text)
    return [found for paragraph in paragraphs for found in NO_SUBJECT.findall(paragraph)]


def _of_python(text: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield from _joined(node.value.value)
    yield from _joined("\n".join(_comments(text)))


def _comments(text: str) -> Iterator[str]:
    """Their lines. An empty one stands between two that do not belong together."""
    last_line = 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            if token.start[0] != last_line + 1:
                yield ""
            yield token.string.lstrip("# ")
            last_line = token.start[0]


def _of_markdown(text: str) -> Iterator[str]:
    lines = FENCED.sub("", text).splitlines()
    for row in (line for line in lines if line.startswith("|")):
        yield from (cell.strip() for cell in row.split("|"))
    yield from _joined("\n".join("" if line.startswith(("#", "|")) else line for line in lines))


def _joined(text: str) -> Iterator[str]:
    for paragraph in NEW_PARAGRAPH.split(text):
        yield MARKER.sub("", " ".join(line.strip() for line in paragraph.splitlines()).strip())
