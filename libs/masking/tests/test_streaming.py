"""What goes out of a stream: soon, whole lines, and never half a secret."""

import gc
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tarsy_masking.masker import REDACTED, Masker
from tarsy_masking.streaming import LONGEST_CONTEXT, LineCutter, MaskedStream, PieceMasker

KEY = bytes(range(32))
MASK = Masker.default(KEY).for_session("s-1").mask
SECRET = "hunter2-very-secret"
TEXT = f"The pod restarts.\nIts environment holds password: {SECRET}\n" + "and so on " * 60 + "\nThe end."
LONG = "and so on " * 60
PEM = "-----BEGIN PRIVATE KEY-----\n" + "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj\n" * 3 + "-----END PRIVATE KEY-----\n"
WITH_KEY = f"It restarts.\npassword: {SECRET}\n{LONG} password: {SECRET} {LONG}\nbefore\n{PEM}after\n"
MANIFEST = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ndata:\n" + "  url: cG9zdGdyZXM6Ly9kYi1wcmltYXJ5\n" * 3


def streamed(text: str, sizes: list[int]) -> list[str]:
    stream, parts, start = MaskedStream(MASK), list[str](), 0
    for size in [*sizes, len(text)]:
        parts.append(stream.take(text[start : start + size]))
        start += size
    return [*parts, stream.rest()]


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(1, 40), max_size=60))
def test_however_it_comes_it_goes_out_whole_and_masked(sizes: list[int]) -> None:
    parts = streamed(TEXT, sizes)
    assert "".join(parts) == MASK(TEXT)
    assert SECRET not in "".join(parts)


@settings(deadline=None, max_examples=60)
@example([10] * 400)
@given(st.lists(st.integers(1, 60), max_size=60))
def test_however_a_key_comes_it_goes_out_masked_with_all_around_it(sizes: list[int]) -> None:
    told = "".join(streamed(WITH_KEY, sizes))
    assert told == MASK(WITH_KEY)
    assert SECRET not in told
    assert "MIIE" not in told


@pytest.mark.parametrize("before", [0, 100, 2_000, 20_000])
def test_a_kubernetes_secret_of_many_lines_is_masked_wherever_it_stands(before: int) -> None:
    text = "The log goes on.\n" * (before // 17) + MANIFEST + "after\n"
    told = "".join(streamed(text, [7] * (len(text) // 7)))
    assert told == MASK(text)
    assert "cG9zdGdyZXM6" not in told


def test_an_unfinished_line_is_held_back() -> None:
    assert streamed("a line\nnot yet", [3, 4, 3])[:3] == ["", "a line\n", ""]


def test_a_long_line_goes_out_up_to_its_last_blank() -> None:
    first = MaskedStream(MASK).take("word " * 50 + "unfini")
    assert first == "word " * 50


def test_a_key_of_many_lines_waits_for_its_end() -> None:
    body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7\n" * 4
    key = f"-----BEGIN PRIVATE KEY-----\n{body}-----END PRIVATE KEY-----\nafter\n"
    parts = streamed("before\n" + key, [10] * 40)
    assert "MIIE" not in "".join(parts)
    assert "".join(parts) == MASK("before\n" + key)


def test_a_key_that_does_not_end_does_not_go_out_with_the_rest() -> None:
    lines = LineCutter()
    assert lines.take("before\n" + PEM[:60]) == "before\n"
    assert lines.rest() == ""
    assert lines.take(PEM[60:] + "after\n") == PEM + "after\n"


def test_a_telling_word_at_the_end_of_a_piece_masks_the_next_word() -> None:
    pieces = [f"{LONG}password: ", f"{SECRET} and", " more\n", f"password: {SECRET}\n"]
    masked = PieceMasker(MASK)
    told = [masked.take(piece) for piece in pieces]
    assert SECRET not in "".join(told)
    assert told[0] == pieces[0]
    assert "".join(told) == MASK("".join(pieces))


def test_when_the_mask_changes_what_has_gone_out_nothing_more_goes_out() -> None:
    stream = MaskedStream(lambda text: text.replace("one\ntwo", "[MASKED]"))
    assert [stream.take("one\n"), stream.take("two\n"), stream.take("three\n"), stream.rest()] == ["one\n", "", "", ""]


def test_nor_when_it_changes_what_has_gone_out_of_a_line() -> None:
    masked = PieceMasker(lambda text: text.replace("one two", "[MASKED]"))
    told = [masked.take(piece) for piece in ("one ", "two ", "three\n", "four\n")]
    assert told == ["one ", "", "", ""]


def test_a_line_without_an_end_costs_no_more_and_more() -> None:
    seen: list[int] = []

    def mask(text: str) -> str:
        seen.append(len(text))
        return text

    masked = PieceMasker(mask)
    for _ in range(2_000):
        masked.take("word " * 80)
    assert max(seen) <= LONGEST_CONTEXT + 400
    assert masked.take("\n") == ""
    assert masked.take("next\n") == "next\n"


def test_a_mask_that_fails_lets_nothing_through() -> None:
    masked = PieceMasker(lambda _: REDACTED)
    assert masked.take(f"password: {SECRET}\n") == REDACTED
    assert masked.take(f"password: {SECRET}\n") == ""


def test_a_long_stream_still_hides_what_comes_in_two_halves() -> None:
    text = "and so on\n" * 2_000 + f"password: {SECRET}\n" + "and so on\n" * 2_000
    parts = streamed(text, [7] * (len(text) // 7))
    assert "".join(parts) == MASK(text)


def test_a_secret_at_the_place_where_the_context_is_cut_stays_whole() -> None:
    """Each of these lies there for some length of what stands before it."""
    for before in range(0, 40, 3):
        text = "x\n" * before + (PEM + "and so on\n" * 20) * 80
        assert "".join(streamed(text, [50] * (len(text) // 50))) == MASK(text)


def test_where_the_context_can_be_cut_nowhere_nothing_more_goes_out() -> None:
    """A secret would be longer than the context: the second half of it would be shown."""
    stream = PieceMasker(lambda text: text if text.startswith("<secret>") else text.replace("line", "secret"))
    text = "<secret>\n" + "a line\n" * 5_000
    told = "".join([*(stream.take(line) for line in text.splitlines(keepends=True)), stream.rest()])
    assert LONGEST_CONTEXT / 2 < len(told) <= LONGEST_CONTEXT
    assert text.startswith(told)


def test_a_long_stream_is_masked_in_linear_time() -> None:
    """Each line masked everything before it again: 2,500 times the text."""
    text = "A line of thirty-nine characters, about.\n" * 5_000
    masked = 0

    def mask(part: str) -> str:
        nonlocal masked
        masked += len(part)
        return part

    stream = MaskedStream(mask)
    parts = [stream.take(text[start : start + 20]) for start in range(0, len(text), 20)]
    assert "".join([*parts, stream.rest()]) == text
    assert masked < 20 * len(text)


STREAMS = {
    "lines": "A line of thirty-nine characters, about.\n",
    "short lines": "a\n",
    "paragraphs": "A sentence goes on and on. " * 40 + "\n\n",
    "one line": "and so on ",
    "one word": "QUJD",
    "blank lines": "\n",
    "keys": PEM,
    "keys begun": "-----BEGIN PRIVATE KEY-----\n",
    "a key without an end": "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj\n",
    "ends of keys": "-----END PRIVATE KEY-----\n",
    "Secrets": MANIFEST,
}
SMALL, TIMES = 60_000, 8
MUCH_MORE = 1.3
"""Work for each character, of the long stream and of the short one. What is quadratic does eight times as much."""


@pytest.mark.parametrize("kind", STREAMS)
def test_the_work_for_a_character_does_not_grow_with_the_length_of_the_stream(kind: str) -> None:
    short, long = (_work(_stream_of(kind, size)) / size for size in (SMALL, SMALL * TIMES))
    assert long <= MUCH_MORE * short


@pytest.mark.parametrize("kind", STREAMS)
def test_nor_does_the_time(kind: str) -> None:
    """Also of what is done beside the masking: quadratic would be 64 times as long. One good try of five is enough."""
    short, long = _stream_of(kind, SMALL), _stream_of(kind, SMALL * TIMES)
    assert any(_seconds(long) / max(_seconds(short), 0.002) < 3 * TIMES for _ in range(5))


def _stream_of(kind: str, size: int) -> str:
    begin = "-----BEGIN PRIVATE KEY-----\n" if kind == "a key without an end" else ""
    part = STREAMS[kind]
    return (begin + part * (size // len(part) + 1))[:size]


def _work(text: str) -> int:
    masked = 0

    def mask(part: str) -> str:
        nonlocal masked
        masked += len(part)
        return part

    _play(text, MaskedStream(mask))
    return masked + len(text)


def _seconds(text: str) -> float:
    gc.collect()
    began = time.process_time()
    _play(text, MaskedStream(lambda part: part))
    return time.process_time() - began


def _play(text: str, stream: MaskedStream) -> None:
    for start in range(0, len(text), 20):
        stream.take(text[start : start + 20])
    stream.rest()
