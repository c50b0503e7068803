"""Searching in a result, whatever pieces it lies in."""

import re
import time
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from results_in_pieces import blocks_of

from tarsy_results.blocks import BLOCK_BYTES
from tarsy_results.budget import ReadBudget
from tarsy_results.pages import ANSWER_BYTES
from tarsy_results.pattern import InvalidSearchError, SearchPattern
from tarsy_results.position import TextPosition
from tarsy_results.search import MOST_MATCHES, ResultSearch
from tarsy_results.source import text_source
from tarsy_tool_gateway.builtin.read_result.answers import search_answer

ON = re.compile(r"To search on: offset (\d+)(?: and byte (\d+))?\.\]")


def search(
    text: str | bytes,
    expression: str,
    *,
    offset: int = 0,
    byte: int = 0,
    context: int = 0,
    piece: int = 512 * 1024,
    case_sensitive: bool = True,
    most_matches: int = MOST_MATCHES,
) -> tuple[str, list[str]]:
    """The first line of the answer, and those that follow it."""
    data = text.encode() if isinstance(text, str) else text
    found = ResultSearch(
        SearchPattern(expression, case_sensitive=case_sensitive),
        ReadBudget(),
        context=context,
        most_matches=most_matches,
    )
    for block in blocks_of(data, TextPosition(offset, byte), piece):
        with found.budget.measured():
            found.take(block)
        if found.stopped:
            break
    found.finish()
    source = text_source(data.decode())
    head, *told = search_answer(found, TextPosition(offset, byte), source).split("\n")
    return head, told


def numbered(count: int) -> str:
    return "".join(f"line {number}\n" for number in range(count))


def test_lines_that_match_come_with_their_numbers_and_those_around_them() -> None:
    head, told = search(numbered(100), "line (7|50)$", context=1)
    assert head == (
        "[2 lines match from offset 0 on; the result has 100 lines (counted from 0). They lie between 7 and 50.]"
    )
    assert told == ["6- line 6", "7: line 7", "8- line 8", "--", "49- line 49", "50: line 50", "51- line 51"]


def test_what_lies_around_two_matches_is_told_once() -> None:
    _, told = search(numbered(100), "line (7|9)$", context=3)
    assert [one.split(" ")[0] for one in told] == ["4-", "5-", "6-", "7:", "8-", "9:", "10-", "11-", "12-"]


def test_no_match_is_an_answer() -> None:
    assert search(numbered(3), "nothing") == (
        "[No line matches from offset 0 on; the result has 3 lines (counted from 0).]", [],
    )  # fmt: skip


def test_case_can_be_ignored() -> None:
    assert search("Fehler: ÄÖ\n", "fehler: äö", case_sensitive=False)[1] == ["0: Fehler: ÄÖ"]
    assert search("Fehler\n", "fehler")[1] == []


def test_an_expression_never_goes_beyond_its_line() -> None:
    assert search("a\nb\n", r"a\sb")[1] == []
    assert search("a\nb\n", r"a[^x]b")[1] == []
    assert search("aa\nab\nba\n", "^a$|b$")[1] == ["1: ab"]


def test_a_text_as_it_stands_can_be_searched() -> None:
    assert search("f(x) = [1]\n", r"\Qf(x) = [")[1] == ["0: f(x) = [1]"]


@pytest.mark.parametrize("wrong", ["f(", "(?<=a)b", r"(a)\1", "x{1001}", "*", "(((x{100}){100}){100})"])
def test_what_is_no_expression_is_refused_with_what_is_wrong_and_what_helps(wrong: str) -> None:
    with pytest.raises(InvalidSearchError, match=r"no regular expression of RE2: .*\\Q before it") as refused:
        SearchPattern(wrong, case_sensitive=True)
    assert "(?m)" not in str(refused.value)


def test_an_expression_that_becomes_a_huge_program_is_refused() -> None:
    with pytest.raises(InvalidSearchError, match="too complicated"):
        SearchPattern("(a?){500}[ab]{600}c", case_sensitive=True)


def test_matches_are_bounded_and_searching_on_finds_the_rest() -> None:
    text = numbered(120)
    numbers: list[int] = []
    offset, rounds = 0, 0
    while True:
        head, told = search(text, "line", offset=offset)
        numbers += [int(one.partition(":")[0]) for one in told]
        following = ON.search(head)
        rounds += 1
        if following is None:
            break
        offset = int(following[1])
    assert numbers == list(range(120))
    assert rounds == -(-120 // MOST_MATCHES)


@pytest.mark.parametrize("piece", [5, 1000, 512 * 1024])
def test_all_lines_that_match_are_counted_though_few_are_shown(piece: int) -> None:
    text = numbered(20_000)
    head, told = search(text, "7$", offset=10, most_matches=4, piece=piece)
    assert told == ["17: line 17", "--", "27: line 27", "--", "37: line 37", "--", "47: line 47"]
    assert head == (
        "[1999 lines match from offset 10 on; the result has 20000 lines (counted from 0). "
        "They lie between 17 and 19997. The first 4 are shown. To search on: offset 48.]"
    )


def test_when_all_that_match_are_shown_there_is_nothing_to_search_on() -> None:
    head, told = search(numbered(100), "line (7|50)$", most_matches=2)
    assert told == ["7: line 7", "--", "50: line 50"]
    assert not ON.search(head)


def test_an_answer_is_never_longer_than_the_log_takes() -> None:
    text = ("x" * 790 + "\n") * 2000
    head, told = search(text, "x$", context=10)
    assert len("\n".join([head, *told]).encode()) <= ANSWER_BYTES
    assert ON.search(head)


def test_of_a_long_line_the_place_is_shown_with_its_byte() -> None:
    text = "short\n" + "a" * 5000 + "needle" + "b" * 5000 + "\n"
    _, (told,) = search(text, "needle")
    assert re.fullmatch(r"1: \(byte 4800\) …a{200}needleb{594}…", told)


@pytest.mark.parametrize("where", [0, 100, BLOCK_BYTES - 3, BLOCK_BYTES - 1024, 10 * BLOCK_BYTES - 8, 3_000_000 - 6])
def test_in_one_line_of_megabytes_every_place_is_found_once_with_its_byte(where: int) -> None:
    text = b"." * where + b"needle" + b"." * (3_000_000 - where - 6)
    head, told = search(text, "need[l]e")
    assert len(told) == 1
    assert head.startswith("[1 line matches ")
    begins = int(re.match(r"0: \(byte (\d+)\)", told[0])[1])  # type: ignore[index]
    shown = told[0].partition(") ")[2].removeprefix("…").rstrip("…")
    assert text[begins : begins + len(shown)] == shown.encode()
    assert "needle" in shown


def test_in_one_huge_line_with_many_matches_searching_on_goes_on_within_it() -> None:
    text = (b"." * 9_994 + b"needle") * 300
    found: list[int] = []
    place = 0
    for _ in range(20):
        head, told = search(text, "needle", byte=place)
        for one in told:
            begins = int(re.match(r"0: \(byte (\d+)\)", one)[1])  # type: ignore[index]
            found.append(text.index(b"needle", begins))
        following = ON.search(head)
        if following is None or following[2] is None:
            break
        place = int(following[2])
    assert found == [number * 10_000 + 9_994 for number in range(300)]


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.text(st.sampled_from("ab é"), max_size=12), max_size=40),
    st.sampled_from(["a", "ab|ba", "^a", "b$", "a*", "é", "^$"]),
    st.integers(0, 3),
    st.integers(4, 60),
    st.integers(0, 5),
)
def test_it_finds_the_lines_that_anybody_would_find(
    lines: list[str], expression: str, context: int, piece: int, offset: int
) -> None:
    text = "".join(f"{line}\n" for line in lines)
    _, told = search(text, expression, context=context, piece=piece, offset=offset)
    wanted = [number for number, line in enumerate(lines) if number >= offset and re.search(expression, line)][
        :MOST_MATCHES
    ]
    around = {near for number in wanted for near in range(number - context, number + context + 1)}
    expected = [number for number in sorted(around) if offset <= number < len(lines)]
    assert [int(one.split(":")[0]) for one in told if re.match(r"\d+:", one)] == wanted
    assert [int(re.match(r"\d+", one)[0]) for one in told if one != "--"] == expected  # type: ignore[index]
    if wanted:
        assert matching_lines(text, expression, offset, piece) == len(wanted)
    assert all(one.partition(" ")[2] == lines[int(re.match(r"\d+", one)[0])] for one in told if one != "--")  # type: ignore[index]


def matching_lines(text: str, expression: str, offset: int, piece: int) -> int:
    """As the first line counts them, with only one of them shown."""
    head, _ = search(text, expression, offset=offset, piece=piece, most_matches=1)
    found = re.match(r"\[(\d+) line", head)
    assert found is not None
    return int(found[1])


def cpu_seconds(work: Callable[[], object]) -> float:
    began = time.thread_time()
    work()
    return time.thread_time() - began


@pytest.mark.timing
def test_a_hostile_expression_on_a_hostile_text_is_stopped_and_can_be_gone_on_with(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tarsy_results.budget.MOST_SECONDS", 0.5)
    text = "".join("ab"[(number * number // 7 + number // 3) % 2] for number in range(32 * 1024 * 1024 // 8))
    hostile = "(a?){200}[ab]{200}[ab]*a[ab]{200}c"
    one_block = min(cpu_seconds(lambda: search(text[:BLOCK_BYTES], hostile)) for _ in range(2))
    head, told = search(text, hostile)
    taken = min(cpu_seconds(lambda: search(text, hostile)) for _ in range(2))
    assert taken < 2 * (0.5 + one_block)
    assert told == []
    following = ON.search(head)
    assert following is not None
    assert "took too long" in head
    assert int(following[2]) >= BLOCK_BYTES
