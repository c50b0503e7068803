"""Streams cut anywhere: what goes out is a beginning of the whole text, masked, at every moment.

So it never holds a byte that masking removes from the whole. TARSY_STREAM_FUZZ says how many times as many cases are
tried as in CI.
"""

import gzip
import json
import os
import random
import sys
from collections.abc import Iterable, Iterator
from itertools import accumulate
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from masking_texts import PATTERNS, TEXTS

from tarsy_masking.masker import Masker

sys.path.append(str(Path(__file__).parent / "corpus"))
from corpus_filling import documents

TIMES = int(os.environ.get("TARSY_STREAM_FUZZ", "1"))
DEFAULT = Masker.default(bytes(range(32))).for_session("s-1")
ALL_RULES = DEFAULT.with_rules({"all"}, ())
EXAMPLES = Path(__file__).parents[3] / "examples" / "incidents"
SHARED = Path("/work/shared/samples")
AROUND = ("{}", "The pod restarts. {} and so on\nlast words", "first\n{}\n")
LONGEST_TEXT = 1_000
SINGLE_CUTS, RANDOM_CUTS, EVIDENCE_CUTS = 300, 60, 8


def samples() -> list[str]:
    of_patterns = [text for pattern in PATTERNS for text in (*pattern.samples, *pattern.ordinary)]
    return [around.format(text) for text in of_patterns for around in AROUND]


def evidence() -> list[str]:
    """Parts of the corpora, and of logs, manifests and alerts with planted secrets."""
    found = [document.text for half in ("open", "held_out") for document in documents(half)]
    found += [path.read_text(encoding="utf-8") for path in EXAMPLES.glob("*/*.yaml")]
    found += [gzip.decompress(path.read_bytes()).decode() for path in EXAMPLES.glob("*/logs/*.gz")]
    found += [path.read_text(encoding="utf-8") for path in EXAMPLES.glob("*/objects/*")]
    found += [path.read_text(encoding="utf-8") for path in SHARED.glob("**/*") if path.suffix in {".json", ".txt"}]
    found += [json.dumps(json.loads(path.read_text(encoding="utf-8"))) for path in EXAMPLES.glob("*/alert.json")]
    return found


def some(cases: Iterable[tuple[str, list[int]]], count: int) -> Iterator[tuple[str, list[int]]]:
    """As many of them, never the same choice for another reason than another number."""
    every = list(cases)
    yield from random.Random(7).sample(every, min(count * TIMES, len(every)))


def single_cuts() -> Iterator[tuple[str, list[int]]]:
    return ((text, [cut]) for text in samples() for cut in range(1, len(text)))


def token_cuts(texts: Iterable[str], seed: int) -> Iterator[tuple[str, list[int]]]:
    chance = random.Random(seed)
    for text in texts:
        begin = chance.randrange(max(1, len(text) - LONGEST_TEXT))
        part = text[begin : begin + LONGEST_TEXT]
        longest = chance.choice((1, 3, 7, 7, 40))
        sizes = (chance.randint(1, longest) for _ in part)
        yield part, [cut for cut in accumulate(sizes) if cut < len(part)]


def words_with_a_blank_before(texts: Iterable[str]) -> Iterator[tuple[str, list[int]]]:
    """So most models send them."""
    return ((text, [place for place, one in enumerate(text) if one == " " and place > 0]) for text in texts)


def assert_masked_at_every_moment(masker: Masker, text: str, cuts: list[int]) -> None:
    whole, told = masker.mask(text), ""
    stream = masker.stream()
    for start, stop in zip([0, *cuts], [*cuts, len(text)], strict=True):
        told += stream.take(text[start:stop])
        assert whole.startswith(told), f"cut at {cuts}: {text!r}"
    told += stream.rest()
    assert whole.startswith(told), f"cut at {cuts}, at the end: {text!r}"


@pytest.mark.parametrize("masker", [DEFAULT, ALL_RULES], ids=["default", "all rules"])
def test_samples_with_one_cut(masker: Masker) -> None:
    for text, cuts in some(single_cuts(), SINGLE_CUTS):
        assert_masked_at_every_moment(masker, text, cuts)


@pytest.mark.parametrize("masker", [DEFAULT, ALL_RULES], ids=["default", "all rules"])
def test_samples_in_tokens(masker: Masker) -> None:
    for text, cuts in some(token_cuts(samples(), seed=3), RANDOM_CUTS // 2):
        assert_masked_at_every_moment(masker, text, cuts)


@pytest.mark.parametrize("masker", [DEFAULT, ALL_RULES], ids=["default", "all rules"])
def test_samples_in_words_with_a_blank_before(masker: Masker) -> None:
    for text, cuts in some(words_with_a_blank_before(samples()), RANDOM_CUTS):
        assert_masked_at_every_moment(masker, text, cuts)


def test_evidence_in_tokens() -> None:
    cases = [case for seed in range(TIMES) for case in token_cuts(evidence(), seed)]
    for text, cuts in some(cases, EVIDENCE_CUTS):
        assert_masked_at_every_moment(DEFAULT, text, cuts)


@settings(max_examples=40 * TIMES, deadline=None)
@given(TEXTS, st.lists(st.integers(1, 7), max_size=200))
def test_pieces_of_samples_in_any_order(text: str, sizes: list[int]) -> None:
    assert_masked_at_every_moment(DEFAULT, text, [cut for cut in accumulate(sizes) if cut < len(text)])
