"""Every pattern does what the samples beside it say, alone among its kind."""

import pytest

from tarsy_masking.edits import apply_labels, rewrite
from tarsy_masking.masker import Masker
from tarsy_masking.patterns import Pattern, compile_regex, read_patterns
from tarsy_masking.placeholders import plain
from tarsy_masking.scanning.scanner import Scan

FILE = read_patterns()
DEFAULT = Masker.default()
EVERYTHING = (*FILE.patterns, *FILE.opt_in)
SAMPLES = [(pattern, before, after) for pattern in EVERYTHING for before, after in pattern.samples.items()]
OF_DECODED = Scan(FILE, FILE.patterns, "line")
ORDINARY = [(pattern, text) for pattern in EVERYTHING for text in pattern.ordinary]


def masker_with(pattern: Pattern) -> Masker:
    return DEFAULT.with_rules({pattern.name}, ()) if pattern in FILE.opt_in else DEFAULT


def name_of(value: object) -> str | None:
    return value.name if isinstance(value, Pattern) else None


@pytest.mark.parametrize(("pattern", "before", "after"), SAMPLES, ids=name_of)
def test_a_pattern_alone_masks_its_samples(pattern: Pattern, before: str, after: str) -> None:
    scan = Scan(FILE, [pattern], pattern.span, of_decoded=OF_DECODED)

    edits = scan.find(before.encode())

    assert edits
    if pattern.name not in COMBINED:
        assert rewrite(before.encode(), apply_labels(edits, plain)).decode() == after


# Their samples show another pattern's find too.
COMBINED = {"aws_pair", "changed_value"}


@pytest.mark.parametrize(("pattern", "before", "after"), SAMPLES, ids=name_of)
def test_all_patterns_together_still_mask_every_sample(pattern: Pattern, before: str, after: str) -> None:
    assert masker_with(pattern).mask(before) == after


@pytest.mark.parametrize(("pattern", "text"), ORDINARY, ids=name_of)
def test_ordinary_text_comes_out_unchanged(pattern: Pattern, text: str) -> None:
    assert masker_with(pattern).mask(text) == text


def test_names_are_unique_and_every_pattern_has_samples_and_a_description() -> None:
    names = [pattern.name for pattern in EVERYTHING]

    assert len(set(names)) == len(names)
    assert [p.name for p in EVERYTHING if not (p.samples and p.ordinary and p.description)] == []


def test_groups_name_what_is_there() -> None:
    named = {name for members in FILE.groups.values() for name in members}

    assert named <= FILE.known_names


def test_a_pattern_that_finds_something_in_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="empty text"):
        compile_regex("a*")
