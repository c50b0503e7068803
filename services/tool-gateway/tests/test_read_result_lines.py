"""Lines of a result, whatever pieces it lies in."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from results_in_pieces import blocks_of

from tarsy_results.pages import ANSWER_BYTES, ResultPage
from tarsy_results.position import TextPosition
from tarsy_results.source import text_source
from tarsy_tool_gateway.builtin.read_result.answers import page_answer
from tarsy_tool_gateway.builtin.read_result.arguments import InvalidArgumentsError, parse_arguments

NEXT = re.compile(r"To read on: offset (\d+)(?: and byte (\d+))?\.\]")


def read(text: str, offset: int = 0, byte: int = 0, lines: int = 200, *, piece: int = 512 * 1024) -> tuple[str, str]:
    """The first line of the answer, and what follows it."""
    data = text.encode()
    page, at = ResultPage(lines), TextPosition(offset, byte)
    for block in blocks_of(data, at, piece):
        page.take(block)
        if page.full:
            break
    source = text_source(data.decode())
    head, _, rest = page_answer(page, min(at, TextPosition(source.lines)), source).partition("\n")
    return head, rest


def numbered(count: int) -> str:
    return "".join(f"line {number}\n" for number in range(count))


def test_the_first_line_says_what_is_shown_of_how_much_and_where_to_go_on() -> None:
    head, shown = read(numbered(1000), offset=200, lines=3)
    assert head == "[Lines 200 to 202 of 1000 (counted from 0; 8890 bytes in all). To read on: offset 203.]"
    assert shown == "line 200\nline 201\nline 202\n"


def test_one_line_is_called_one() -> None:
    assert read(numbered(1000), offset=7, lines=1)[0].startswith("[Line 7 of 1000 ")


@pytest.mark.parametrize("text", [numbered(10), numbered(10).rstrip("\n")])
def test_the_end_is_told(text: str) -> None:
    head, shown = read(text, offset=8)
    assert head == f"[Lines 8 to 9 of 10 (counted from 0; {len(text)} bytes in all). This is the end.]"
    assert shown.rstrip("\n") == "line 8\nline 9"
    assert "To read on: offset 9." in read(text, offset=8, lines=1)[0]


@pytest.mark.parametrize(("offset", "byte"), [(10, 0), (11, 0), (10_000, 5)])
def test_behind_the_end_there_is_nothing(offset: int, byte: int) -> None:
    head, shown = read(numbered(10), offset, byte)
    assert head.startswith("[There is nothing at offset 10")
    assert "the result has 10 lines" in head
    assert shown == ""


def test_an_answer_is_never_longer_than_the_log_takes_and_ends_at_a_line() -> None:
    text = "".join(f"{number} " + "x" * 1000 + "\n" for number in range(1000))
    head, shown = read(text, lines=2000)
    assert 0.9 * ANSWER_BYTES < len(shown) <= ANSWER_BYTES
    assert shown.endswith("x\n")
    assert f"To read on: offset {shown.count('\n')}." in head


def test_no_more_is_taken_than_an_answer_can_show() -> None:
    for text in ("x" * 1_000_000, "x\n" * 1_000_000):
        page, taken = ResultPage(2000), 0
        for block in blocks_of(text.encode(), TextPosition(0), 100_000):
            page.take(block)
            taken += 1
            if page.full:
                break
        assert taken == 1


def test_a_line_that_does_not_fit_behind_others_waits_for_the_next_answer() -> None:
    text = "short\n" + "x" * ANSWER_BYTES + "\nend\n"
    assert read(text)[1] == "short\n"
    assert "To read on: offset 1." in read(text)[0]
    assert read(text, 1)[1] == "x" * ANSWER_BYTES
    assert "To read on: offset 1 and byte 49152." in read(text, 1)[0]
    assert read(text, 1, ANSWER_BYTES)[1] == "\nend\n"


def test_a_byte_inside_of_a_character_is_moved_behind_it() -> None:
    assert read("éa", byte=1)[1] == "a"


def test_a_byte_behind_its_line_is_its_end() -> None:
    assert read("ab\ncd\n", byte=70)[1] == "\ncd\n"


texts = st.text(st.sampled_from("ab\n\né日"), max_size=300)


@given(texts, st.integers(4, 40), st.integers(1, 7))
def test_reading_on_and_on_shows_every_byte_once_whatever_the_pieces(text: str, piece: int, lines: int) -> None:
    whole, place = "", (0, 0)
    for _ in range(400):
        head, shown = read(text, *place, lines=lines, piece=piece)
        whole += shown
        following = NEXT.search(head)
        if following is None:
            break
        place = int(following[1]), int(following[2] or 0)
    assert whole == text


def test_a_single_line_of_megabytes_is_read_through() -> None:
    text = "".join(f"{number:06}é" for number in range(300_000))
    whole, place = "", (0, 0)
    while True:
        head, shown = read(text, *place)
        whole += shown
        following = NEXT.search(head)
        if following is None:
            break
        place = int(following[1]), int(following[2] or 0)
    assert whole == text


# What agents write


def test_numbers_as_words_and_null_are_understood_and_too_much_is_the_most() -> None:
    asked = parse_arguments({"result": "x", "offset": "20", "lines": 10_000_000, "search": None, "context": 99})
    assert (asked.offset, asked.most_lines, asked.most_matches) == (20, 2000, 50)
    assert (asked.search, asked.context) == ("", 10)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"offset": -1}, "The argument offset does not fit"),
        ({"lines": 0}, "The argument lines does not fit"),
        ({"search": "x" * 501}, "The argument search does not fit"),
        ({"lins": 5}, "The argument lins does not fit"),
        ({"offset": [1]}, "The argument offset does not fit"),
    ],
)
def test_what_does_not_fit_is_named(arguments: dict[str, object], said: str) -> None:
    with pytest.raises(InvalidArgumentsError, match=said):
        parse_arguments({"result": "x", **arguments})  # type: ignore[dict-item]
