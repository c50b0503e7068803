"""What each pattern costs a stream: where it makes words wait, and where no context may be cut."""

import pytest
from masking_texts import PATTERNS

from tarsy_masking.masker import Masker
from tarsy_masking.open_secrets import OpenSecrets
from tarsy_masking.patterns import Pattern, read_patterns

MASKER = Masker.default(bytes(range(32))).for_session("s-1")
ORDINARY = (
    'The pod restarts (again) and it doesn\'t come back as `kubectl logs` says there is no "space left on disk".',
    "2026-11-22T10:11:12Z INFO checkout GET /api/v1/orders status=200 took=12ms customer=4711 path=/api/v1",
    "The **OOMKilled** container is at 512 MiB or 100% of its limit",
)

MOST_HELD = {"card_number": len("=4111 1111 1111 1111")}
"""Characters that a pattern with blanks holds back. Its length is bounded, so a line of such words can be cut."""
KEY_TEXT = "k3Jh8Qz1Xv5Lm9Rt7Wp2Yb4Nc6Df0GsA"
SECRETS_THAT_BEGIN_LIKE_ANY_WORD = [
    ("azure_marked_key", f"{KEY_TEXT}+ASt{KEY_TEXT}"),
    ("azure_secret", f"1Q~{KEY_TEXT}"),
    ("azure_secret", f"{KEY_TEXT}AZDOx4Y2"),
    ("long_dropbox_token", f"k3jh8qz1xv{'A' * 10}{KEY_TEXT}{KEY_TEXT}"),
    ("marked_token", f"9x4_{KEY_TEXT}_mmk"),
    ("marked_token", f"9x4.k3Jh8Q:{KEY_TEXT}{KEY_TEXT}"),
    ("observability_key", f"{KEY_TEXT}NRAL"),
    ("platform_token", f".atlasv1.{KEY_TEXT}"),
    ("private_key_tail", f"{KEY_TEXT}\n-----END PRIVATE KEY-----"),
]


@pytest.mark.parametrize(("pattern", "rest"), SECRETS_THAT_BEGIN_LIKE_ANY_WORD)
def test_a_word_that_goes_on_may_be_the_beginning_of_a_secret(pattern: str, rest: str) -> None:
    """Each of these would show its first letters if a word went out before it has ended."""
    stream, text = MASKER.stream(), f"It is of the{rest} and so on"
    told = stream.take("It is of the")
    assert told == "It is of "
    told += stream.take(text[len("It is of the") :]) + stream.rest()
    assert told == MASKER.mask(text)
    assert not told.startswith("It is of the"), pattern


def test_no_other_secret_begins_like_any_word() -> None:
    """Decision 0031 names these patterns: they are why a word waits until it has ended."""
    every = [pattern for pattern in read_patterns().patterns if of_one(pattern).may_go_on(b"It is of the")]
    assert {pattern.name for pattern in every} == {name for name, _ in SECRETS_THAT_BEGIN_LIKE_ANY_WORD}


def of_one(pattern: Pattern) -> OpenSecrets:
    return OpenSecrets((pattern,), custom_patterns=0)


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.name)
def test_no_match_begins_in_an_ordinary_word_and_goes_on_behind_the_blank(pattern: Pattern) -> None:
    """With such a pattern a long line could be cut nowhere, and the stream of it would fall silent."""
    secrets = of_one(pattern)
    for line in ORDINARY:
        texts = (line[: place + 1].encode() for place, mark in enumerate(line) if mark == " ")
        held = MOST_HELD.get(pattern.name, 1)
        assert [text for text in texts if secrets.open_since(text) < len(text) - held] == []
