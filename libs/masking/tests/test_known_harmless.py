"""Short texts without a secret are remembered, and nothing else is."""

import pytest

from tarsy_masking.known_harmless import LONGEST, MOST, KnownHarmless
from tarsy_masking.masker import Masker

SECRET = "password=hunter2secret"


@pytest.fixture(scope="module")
def masker() -> Masker:
    return Masker.default(b"key")


def test_a_short_text_is_known_once_it_was_added() -> None:
    texts = KnownHarmless()
    texts.add("namespace")
    assert "namespace" in texts
    assert "name" not in texts


def test_a_long_text_is_not_kept() -> None:
    texts = KnownHarmless()
    texts.add("x" * (LONGEST + 1))
    assert "x" * (LONGEST + 1) not in texts


def test_beyond_the_bound_all_are_forgotten() -> None:
    texts = KnownHarmless()
    texts.add_all(str(number) for number in range(MOST + 1))
    assert "0" not in texts
    assert str(MOST) in texts


def test_a_secret_is_masked_each_time_for_each_session_anew(masker: Masker) -> None:
    one, other = masker.for_session("one"), masker.for_session("other")
    masked = [one.mask(SECRET), other.mask(SECRET), one.mask(SECRET)]
    assert all("hunter2secret" not in text for text in masked)
    assert masked[0] == masked[2] != masked[1]


def test_a_text_that_is_no_unicode_is_replaced_each_time(masker: Masker) -> None:
    assert [masker.mask("name \ud800"), masker.mask("name \ud800")] == ["name ?", "name ?"]


def test_strings_that_are_known_hide_nothing_that_a_name_and_its_value_make_together(masker: Masker) -> None:
    assert (masker.mask("password"), masker.mask("hunter2secret")) == ("password", "hunter2secret")
    assert masker.mask_json({"note": "hunter2secret"}) == {"note": "hunter2secret"}
    assert "hunter2secret" not in str(masker.mask_json({"password": "hunter2secret"}))
    assert "hunter2secret" not in str(masker.mask_json(["--password", "hunter2secret"]))
