"""Secrets in several lines, in disguise, and what only sounds like one."""

import random

import pytest
from masking_cases import DISGUISED, NO_SECRETS, REGIONS

from tarsy_masking.masker import Masker

MASKER = Masker.default()
KEYED = Masker.default(bytes(range(32))).for_session("s-1")
AFTER = "\nThe pod restarts, said | the log;\n"


@pytest.mark.parametrize(("before", "after"), REGIONS.items())
def test_each_line_of_a_region_is_masked(before: str, after: str) -> None:
    assert MASKER.mask(before) == after
    assert MASKER.mask(after) == after


@pytest.mark.parametrize(("before", "after"), DISGUISED.items())
def test_a_disguised_secret_is_found_and_the_rest_stays_as_it_was(before: str, after: str) -> None:
    assert MASKER.mask(before) == after
    assert MASKER.mask(after) == after


@pytest.mark.parametrize("text", NO_SECRETS)
def test_messages_references_and_names_stay(text: str) -> None:
    assert MASKER.mask(text) == text


def test_a_finding_has_its_place_in_the_text_as_it_was() -> None:
    [found] = MASKER.findings("first\n\x1b[32mpass\u200bword\x1b[0m=hunter2 x")

    assert (found.line, found.column, found.length) == (2, 20, 7)


def test_a_secret_has_the_same_digits_in_disguise() -> None:
    plain, wide = KEYED.mask("password=hunter2"), KEYED.mask("password\u200b=hun\u200bter2")

    assert plain.split("=")[1] == wide.split("=")[1]


@pytest.mark.parametrize("text", [*REGIONS, *DISGUISED, *NO_SECRETS])
def test_a_stream_never_shows_what_the_whole_hides(text: str) -> None:
    whole = text + AFTER
    masked = KEYED.mask(whole)
    chance = random.Random(len(text))
    cuts = [
        *([at] for at in range(1, len(whole), 3)),
        sorted(chance.sample(range(1, len(whole)), min(12, len(whole) - 1))),
    ]
    for cut in cuts:
        stream, told = KEYED.stream(), ""
        for start, stop in zip([0, *cut], [*cut, len(whole)], strict=True):
            told += stream.take(whole[start:stop])
            assert masked.startswith(told), cut
        assert masked.startswith(told + stream.rest()), cut
