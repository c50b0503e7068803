"""A terminal that is not UTF-8 shows the same, in the characters that it has."""

import io

import pytest
from rich.console import Console

from tarsy_cli.console.plain_terminal import use_plain_characters


def written(text: str, encoding: str) -> str:
    out = io.BytesIO()
    stream = io.TextIOWrapper(out, encoding=encoding)
    use_plain_characters(stream)
    Console(file=stream, width=80).print(text, markup=False)
    stream.flush()
    return out.getvalue().decode(encoding)


@pytest.mark.parametrize(
    ("text", "encoding", "shown"),
    [
        ("← pods_list: ok · 3 lines …", "ascii", "<- pods_list: ok - 3 lines ..."),
        ("← “café”", "latin-1", '<- "café"'),
        ("日本 €", "latin-1", "?? ?"),
        ("← “日本” …", "utf-8", "← “日本” …"),
    ],
)
def test_what_a_terminal_does_not_have_is_written_in_what_it_has(text: str, encoding: str, shown: str) -> None:
    assert written(text, encoding).rstrip("\n") == shown


def test_a_stream_that_is_no_file_stays_as_it_is() -> None:
    stream = io.StringIO()
    use_plain_characters(stream)
    stream.write("←")
    assert stream.getvalue() == "←"
