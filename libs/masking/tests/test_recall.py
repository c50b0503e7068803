"""Of the secrets that the corpora plant, how many are found; of what only looks like one, how much is left alone.

docs/reference/masking.md has the figures: corpus_page.py writes them.
"""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parent / "corpus"))
from class_recall import of_classes
from corpus_filling import SEEDS, Half, documents, filled, pieces
from corpus_measures import measured, together
from corpus_page import HALVES, PAGE, of_half, renewed

PROMISED = frozenset(
    {"anthropic", "aws", "azure", "basic-auth", "bearer", "beside-name", "command-line", "connection-string", "cookie"}
    | {"docker-auth", "dsn", "gcp", "github", "gitlab", "google", "jwt", "kubeconfig-token", "kubernetes-secret"}
    | {"nested", "openai", "password-hash", "password-named", "pod-env", "private-key", "redis", "signature", "slack"}
    | {"sql", "stripe", "url-query", "well-known"}
)
"""The kinds that the page says are covered."""

LEAST_OF_CLASSES = 0.95
LEAST = (0.97, 0.98, 0.98)
"""Of secrets, of look-alikes and of lines without a secret. Raise them with the figures of the page."""


def test_the_docs_have_the_figures_and_misses_that_are_measured() -> None:
    """`python libs/masking/tests/corpus/corpus_page.py` writes them anew."""
    page = PAGE.read_text(encoding="utf-8")

    assert page.splitlines() == renewed(page).splitlines()


def test_nearly_every_sample_of_each_class_is_found_wherever_it_stands() -> None:
    shares = [share for _, places in of_classes() for share in places.values()]

    assert together(shares).part >= LEAST_OF_CLASSES


@pytest.mark.parametrize("half", HALVES)
def test_the_kinds_that_we_promise_are_all_found(half: Half) -> None:
    survived = [
        f"{miss.value.kind} in {miss.document.name}:{miss.value.line} (seed {miss.document.seed})"
        for miss in of_half(half).survived
        if miss.value.kind in PROMISED
    ]

    assert survived == []


@pytest.mark.parametrize("half", HALVES)
def test_nearly_every_secret_is_found(half: Half) -> None:
    found = of_half(half)

    assert found.recall >= LEAST[0], sorted({f"{miss.document.name}:{miss.value.line}" for miss in found.survived})


@pytest.mark.parametrize("half", HALVES)
def test_nearly_everything_that_only_looks_like_a_secret_is_left_alone(half: Half) -> None:
    found = of_half(half)

    touched = sorted({f"{miss.document.name}:{miss.value.line}" for miss in found.touched})
    assert found.left_alone >= LEAST[1], touched
    assert found.lines.part >= LEAST[2], sorted({line for _, line in found.changed_lines})


@pytest.mark.parametrize(
    ("mask", "recall", "left_alone"), [(lambda text: text, 0.0, 1.0), (lambda text: "", 1.0, 0.0)], ids=["no", "all"]
)
def test_the_measure_tells_no_masking_and_too_much_masking_from_good_masking(
    mask: Callable[[str], str], recall: float, left_alone: float
) -> None:
    found = measured(mask, documents("open"))

    assert (found.recall, found.left_alone, found.lines.part) == (recall, left_alone, left_alone)


def test_half_a_secret_that_is_left_counts_as_a_survivor() -> None:
    document = filled("x", "password: «!password-named:hex40»", 1)
    [secret] = document.secrets

    found = measured(lambda text: text.replace(secret.text[:20], ""), [document])

    assert found.recall == 0.0


def test_of_a_private_key_each_line_has_to_go() -> None:
    document = filled("x", "    «!private-key:pem_rsa»", 1)
    lines = document.text.splitlines()

    found = measured(lambda text: "\n".join([lines[0], "[MASKED]", lines[7], lines[-1]]), [document])
    gone = measured(lambda text: "\n".join([lines[0], "[MASKED]", lines[-1]]), [document])

    assert all(line.startswith("    ") for line in lines)
    assert (found.recall, gone.recall) == (0.0, 1.0)


def test_every_seed_fills_a_template_with_other_values_and_always_the_same() -> None:
    first, again, other = (
        {value.text for document in documents("open") if document.seed == seed for value in document.secrets}
        for seed in (SEEDS[0], SEEDS[0], SEEDS[1])
    )

    assert first == again
    assert len(first & other) < len(first) / 100


def test_both_halves_plant_secrets_of_every_kind_that_we_promise() -> None:
    for half in HALVES:
        assert of_half(half).secrets.keys() >= PROMISED
        assert all(pieces(value.text) for document in documents(half) for value in document.secrets)
