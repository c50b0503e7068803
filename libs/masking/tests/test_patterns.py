"""Every pattern does what the samples beside it say, alone among its kind."""

import pytest

from tarsy_masking.masker import Masker
from tarsy_masking.patterns import PatternFile, compile_regex, read_patterns
from tarsy_masking.substitution import Substitution

FILE = read_patterns()
MASKER = Masker.default()
SAMPLES = [(p.name, before, after) for p in FILE.patterns for before, after in p.samples.items()]
ORDINARY = [(p.name, text) for p in FILE.patterns for text in p.ordinary]


@pytest.mark.parametrize(("name", "before", "after"), SAMPLES)
def test_a_pattern_alone_masks_its_samples(name: str, before: str, after: str) -> None:
    only = tuple(pattern for pattern in FILE.patterns if pattern.name == name)
    alone = Substitution(PatternFile(only, FILE.never_secret, FILE.families))

    assert alone.apply(before.encode()).decode() == after


@pytest.mark.parametrize(("name", "before", "after"), SAMPLES)
def test_all_patterns_together_still_mask_every_sample(name: str, before: str, after: str) -> None:
    assert MASKER.mask(before) == after


@pytest.mark.parametrize(("name", "text"), ORDINARY)
def test_ordinary_text_comes_out_unchanged(name: str, text: str) -> None:
    assert MASKER.mask(text) == text


def test_names_are_unique_and_every_pattern_has_samples_and_a_description() -> None:
    names = [pattern.name for pattern in FILE.patterns]

    assert len(set(names)) == len(names)
    assert all(pattern.samples and pattern.description for pattern in FILE.patterns)


def test_a_pattern_that_finds_something_in_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="empty text"):
        compile_regex("a*")
