from hypothesis import given, settings
from hypothesis import strategies as st

from tarsy_masking.masker import Masker
from tarsy_summarizer.streaming import MaskedStream

MASK = Masker.default().mask
SECRET = "hunter2-very-secret"
TEXT = f"The pod restarts.\nIts environment holds password: {SECRET}\n" + "and so on " * 60 + "\nThe end."


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


def test_when_the_mask_changes_what_has_gone_out_nothing_more_goes_out() -> None:
    stream = MaskedStream(lambda text: text.replace("one\ntwo", "[MASKED]"))
    assert [stream.take("one\n"), stream.take("two\n"), stream.take("three\n"), stream.rest()] == ["one\n", "", "", ""]


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


def test_a_long_stream_still_hides_what_comes_in_two_halves() -> None:
    text = "and so on\n" * 2_000 + f"password: {SECRET}\n" + "and so on\n" * 2_000
    parts = streamed(text, [7] * (len(text) // 7))
    assert "".join(parts) == MASK(text)
