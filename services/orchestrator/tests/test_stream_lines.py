"""What goes out of a stream: soon, whole lines, and never half a secret."""

from hypothesis import example, given, settings
from hypothesis import strategies as st

from tarsy_masking.masker import REDACTED, Masker
from tarsy_orchestrator.effects.stream_lines import LONGEST_LINE, Lines, MaskedLines

KEY = bytes(range(32))
MASK = Masker.default(KEY).for_session("s-1").mask
SECRET = "hunter2-very-secret"
LONG = "and so on " * 60
PEM = "-----BEGIN PRIVATE KEY-----\n" + "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj\n" * 3 + "-----END PRIVATE KEY-----\n"
TEXT = f"It restarts.\npassword: {SECRET}\n{LONG} password: {SECRET} {LONG}\nbefore\n{PEM}after\n"


def streamed(text: str, sizes: list[int]) -> list[str]:
    lines, masked = Lines(), MaskedLines(MASK)
    parts, start = list[str](), 0
    for size in [*sizes, len(text)]:
        parts.append(masked.masked(lines.take(text[start : start + size])))
        start += size
    return [*parts, masked.masked(lines.rest())]


@settings(deadline=None, max_examples=60)
@example([10] * 400)
@given(st.lists(st.integers(1, 60), max_size=60))
def test_however_it_comes_it_goes_out_whole_and_masked(sizes: list[int]) -> None:
    told = "".join(streamed(TEXT, sizes))
    assert told == MASK(TEXT)
    assert SECRET not in told
    assert "MIIE" not in told


def test_a_telling_word_at_the_end_of_a_piece_masks_the_next_word() -> None:
    pieces = [f"{LONG}password: ", f"{SECRET} and", " more\n", f"password: {SECRET}\n"]
    masked = MaskedLines(MASK)
    told = [masked.masked(piece) for piece in pieces]
    assert SECRET not in "".join(told)
    assert told[0] == pieces[0]
    assert "".join(told) == MASK("".join(pieces))


def test_when_the_mask_changes_what_has_gone_out_only_that_line_stays_silent() -> None:
    masked = MaskedLines(lambda text: text.replace("one two", "[MASKED]"))
    told = [masked.masked(piece) for piece in ("one ", "two ", "three\n", "four\n")]
    assert told == ["one ", "", "", "four\n"]


def test_a_line_without_an_end_costs_no_more_and_more() -> None:
    seen: list[int] = []

    def mask(text: str) -> str:
        seen.append(len(text))
        return text

    masked = MaskedLines(mask)
    for _ in range(2_000):
        masked.masked("word " * 80)
    assert max(seen) <= LONGEST_LINE + 400
    assert masked.masked("\n") == ""
    assert masked.masked("next\n") == "next\n"


def test_a_key_that_does_not_end_does_not_go_out_with_the_rest() -> None:
    lines = Lines()
    assert lines.take("before\n" + PEM[:60]) == "before\n"
    assert lines.rest() == ""
    assert lines.take(PEM[60:] + "after\n") == PEM + "after\n"


def test_a_mask_that_fails_lets_nothing_through() -> None:
    masked = MaskedLines(lambda _: REDACTED)
    assert masked.masked(f"password: {SECRET}\n") == REDACTED
