"""Text that goes out of a stream: word by word, and never half a secret."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tarsy_masking.masker import REDACTED, Masker
from tarsy_masking.rules import CustomPattern
from tarsy_masking.streaming import LONGEST_CONTEXT, Mask, MaskedStream
from tarsy_testing.linear_time import processor_seconds

MASKER = Masker.default(bytes(range(32))).for_session("s-1")
MASK = MASKER.mask
SECRET = "hunter2-very-secret"
TEXT = f"The pod restarts.\nIts environment holds password: {SECRET}\n" + "and so on " * 60 + "\nThe end."
LONG = "and so on " * 60
PEM = "-----BEGIN PRIVATE KEY-----\n" + "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj\n" * 3 + "-----END PRIVATE KEY-----\n"
WITH_KEY = f"It restarts.\npassword: {SECRET}\n{LONG} password: {SECRET} {LONG}\nbefore\n{PEM}after\n"
MANIFEST = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ndata:\n" + "  url: cG9zdGdyZXM6Ly9kYi1wcmltYXJ5\n" * 3


class NothingOpen:
    """Rules of which no match goes on after the end of a text."""

    def may_go_on(self, text: bytes) -> bool:
        return False

    def open_since(self, text: bytes) -> int:
        return len(text)

    def data_since(self, text: bytes) -> int | None:
        return None

    def names_a_secret(self, text: bytes) -> bool:
        return False


def careless(mask: Mask) -> MaskedStream:
    return MaskedStream(mask, NothingOpen())


def streamed(text: str, sizes: list[int]) -> list[str]:
    stream, parts, start = MASKER.stream(), list[str](), 0
    for size in [*sizes, len(text)]:
        parts.append(stream.take(text[start : start + size]))
        start += size
    return [*parts, stream.rest()]


@settings(deadline=None, max_examples=30)
@given(st.lists(st.integers(1, 40), max_size=60))
def test_however_it_comes_it_goes_out_whole_and_masked(sizes: list[int]) -> None:
    parts = streamed(TEXT, sizes)
    assert "".join(parts) == MASK(TEXT)
    assert SECRET not in "".join(parts)


@settings(deadline=None, max_examples=30)
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


@pytest.mark.parametrize("word", ["restarts ", "restarts,", "restarts\n", "(", "`", "- "])
def test_a_word_goes_out_as_soon_as_it_has_ended(word: str) -> None:
    stream = MASKER.stream()
    assert stream.take("The pod ") == "The pod "
    assert stream.take(word) == word


def test_a_word_that_has_not_ended_may_become_a_secret() -> None:
    stream = MASKER.stream()
    assert [stream.take(part) for part in ("It rest", "arts agai", "n and ")] == ["It ", "restarts ", "again and "]


@pytest.mark.parametrize("line", ["The mysql pod of the shop", "we ran curl and echo", "no password of a token"])
def test_words_that_only_a_secret_after_them_would_need_go_out(line: str) -> None:
    assert MASKER.stream().take(f"{line} ") == f"{line} "


@pytest.mark.parametrize(
    ("begun", "shown"),
    [
        ("It sets password: hunter", "It sets password: "),
        ("  password: hunter two", "  password: "),
        ("--token 'a b", "--token '"),
        ("postgres://shop:hunter2", "postgres://shop:"),
        ("Authorization: Bearer abcdef", "Authorization: Bearer "),
        ("-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\nMIIE", "-----BEGIN PRIVATE KEY-----\n"),
    ],
)
def test_what_goes_out_ends_before_a_secret_that_has_begun(begun: str, shown: str) -> None:
    stream = MASKER.stream()
    told = "".join(stream.take(mark) for mark in begun)
    assert shown.startswith(told)
    assert told != ""


def test_in_a_pause_the_word_goes_out_that_was_held() -> None:
    stream = MASKER.stream()
    assert (stream.take("It restarts."), stream.pause(), stream.take(" Again")) == ("It ", "restarts.", " ")


@pytest.mark.parametrize("begun", ["password: hunter two", "data:\n  a: b", PEM[:60]])
def test_in_a_pause_nothing_goes_out_that_may_become_a_longer_secret(begun: str) -> None:
    stream = MASKER.stream()
    told = stream.take(f"{begun}") + stream.pause()
    assert "hunter" not in told
    assert "b" not in told.removeprefix("data:")
    assert "MIIE" not in told


def test_values_of_a_secret_whose_kind_comes_last_do_not_go_out() -> None:
    text = "apiVersion: v1\ndata:\n  url: cG9zdGdyZXM6Ly9kYi1wcmltYXJ5\n" + "and so on\n" * 50 + "kind: Secret\n"
    parts = streamed(text, [7] * (len(text) // 7))
    assert "".join(parts[:-1]) == "apiVersion: v1\ndata:"
    assert "".join(parts) == MASK(text)


def test_values_far_behind_their_kind_do_not_go_out() -> None:
    text = "kind: Secret\n" + "and so on\n" * 500 + "data:\n  url: cG9zdGdyZXM6Ly9kYi1wcmltYXJ5\n"
    told = "".join(streamed(text, [7] * (len(text) // 7)))
    assert MASK(text).startswith(told)
    assert told.endswith("data:")


def test_with_custom_patterns_everything_waits_for_the_end() -> None:
    masker = MASKER.with_rules((), [CustomPattern("badge [0-9]+ [0-9]+", "[MASKED_BADGE]")])
    stream = masker.stream()
    assert [stream.take("his badge 12 "), stream.take("34 opens\n")] == ["", ""]
    assert stream.rest() == masker.mask("his badge 12 34 opens\n")


def test_when_the_mask_changes_what_has_gone_out_nothing_more_goes_out() -> None:
    stream = careless(lambda text: text.replace("one\ntwo", "[MASKED]"))
    assert [stream.take("one\n"), stream.take("two\n"), stream.take("three\n"), stream.rest()] == ["one\n", "", "", ""]


def test_a_mask_that_fails_lets_nothing_through() -> None:
    stream = careless(lambda _: REDACTED)
    assert stream.take(f"password: {SECRET}\n") == REDACTED
    assert stream.take(f"password: {SECRET}\n") == ""


def test_a_secret_that_does_not_end_is_not_shown_and_costs_no_more_and_more() -> None:
    seen: list[int] = []

    def mask(text: str) -> str:
        seen.append(len(text))
        return text

    class AllOpen(NothingOpen):
        def may_go_on(self, text: bytes) -> bool:
            seen.append(len(text))
            return True

    stream = MaskedStream(mask, AllOpen())
    told = [stream.take("word " * 80) for _ in range(2_000)]
    assert (set(told), stream.rest()) == ({""}, "")
    assert max(seen) <= LONGEST_CONTEXT * 1.2


@pytest.mark.parametrize("between", [" ", "\n"])
def test_a_long_stream_still_hides_what_comes_in_two_halves(between: str) -> None:
    text = f"and so on{between}" * 2_000 + f"password: {SECRET}\n" + f"and so on{between}" * 2_000
    parts = streamed(text, [7] * (len(text) // 7))
    assert "".join(parts) == MASK(text)
    assert max(map(len, parts)) < 100, "most of it was held back"


def test_a_secret_at_the_place_where_the_context_is_cut_stays_whole() -> None:
    """Each of these lies there for some length of what stands before it."""
    for before in range(0, 40, 3):
        text = "x\n" * before + (PEM + "and so on\n" * 20) * 20
        assert "".join(streamed(text, [50] * (len(text) // 50))) == MASK(text)


def test_a_line_does_not_begin_where_the_context_was_cut() -> None:
    """At the beginning of a line all that follows `password: ` is a secret; inside one it may be a sentence."""
    for before in range(20):
        text = "x " * before + "wrong password: it is not that of the shop, as they say " * 40
        assert "".join(streamed(text, [5] * (len(text) // 5))) == MASK(text)


def test_a_long_stream_is_masked_in_linear_time() -> None:
    """Each line masked everything before it again: 2,500 times the text."""
    text = "A line of thirty-nine characters, about.\n" * 5_000
    masked = 0

    def mask(part: str) -> str:
        nonlocal masked
        masked += len(part)
        return part

    stream = careless(mask)
    parts = [stream.take(text[start : start + 20]) for start in range(0, len(text), 20)]
    assert "".join([*parts, stream.rest()]) == text
    assert masked < 30 * len(text)


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
SMALL, TIMES = 30_000, 8
MUCH_MORE = 1.3
"""Work for each character, of the long stream and of the short one. What is quadratic does eight times as much."""


@pytest.mark.parametrize("kind", STREAMS)
def test_the_work_for_a_character_does_not_grow_with_the_length_of_the_stream(kind: str) -> None:
    short, long = (_work(_stream_of(kind, size)) / size for size in (SMALL, SMALL * TIMES))
    assert long <= MUCH_MORE * short


@pytest.mark.timing
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

    _play(text, careless(mask))
    return masked + len(text)


def _seconds(text: str) -> float:
    return processor_seconds(lambda: _play(text, careless(lambda part: part)))


def _play(text: str, stream: MaskedStream) -> None:
    for start in range(0, len(text), 20):
        stream.take(text[start : start + 20])
    stream.rest()
