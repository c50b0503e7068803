from hashlib import sha256

from tarsy_tool_gateway.results.results import INLINE_BYTES, MOST_BYTES, PIECE_BYTES, prepare


def unmasked(text: str) -> str:
    return text


def test_what_fits_inline_is_all_there_is() -> None:
    prepared = prepare("a" * INLINE_BYTES, unmasked)
    assert (prepared.cut, prepared.pieces, prepared.size, prepared.lines) == (False, (), INLINE_BYTES, 1)


def test_what_does_not_is_cut_at_a_line_and_lies_whole_in_pieces() -> None:
    text = "a line with é\n" * 100_000
    prepared = prepare(text, unmasked)
    assert prepared.cut
    assert text.startswith(prepared.content)
    assert prepared.content.endswith("\n")
    assert b"".join(prepared.pieces).decode() == text
    assert (prepared.size, prepared.lines) == (len(text.encode()), 100_000)


def test_beyond_the_hard_cap_it_is_cut_at_a_line_and_says_so() -> None:
    line = "x" * 99 + "\n"
    prepared = prepare(line * 350_000, unmasked)
    whole = b"".join(prepared.pieces)
    assert len(whole) <= MOST_BYTES
    assert max(map(len, prepared.pieces)) <= PIECE_BYTES
    assert whole.endswith(b"of 35000000 bytes are kept]\n")
    assert (prepared.size, prepared.lines) == (35_000_000, 350_000)


def test_its_digest_is_that_of_the_masked_text_also_of_what_is_not_kept() -> None:
    def digest(text: str) -> str:
        return prepare(text, lambda text: text.replace("hunter2", "[MASKED]")).digest

    long = "a line\n" * 100_000
    assert digest(f"{long}hunter2") == digest(f"{long}[MASKED]") == sha256(f"{long}[MASKED]".encode()).hexdigest()
    beyond = "x" * (MOST_BYTES + 1)
    assert digest(f"{beyond}1") != digest(f"{beyond}2")


def test_it_is_masked_before_it_is_cut() -> None:
    secret = "s" * 100
    text = "a" * (INLINE_BYTES - 50) + secret
    prepared = prepare(text, lambda text: text.replace(secret, "[MASKED]"))
    assert prepared.content.endswith("[MASKED]")
    assert not prepared.cut


def test_half_a_character_out_of_json_becomes_a_question_mark() -> None:
    assert prepare("a\ud800b", unmasked).content == "a?b"
