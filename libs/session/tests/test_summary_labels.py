"""Labels that a model writes at the end of an executive summary, as tidy or as sloppy as it pleases."""

import time

import pytest

from tarsy_contracts import events as e
from tarsy_contracts.chain import LabelRule, SummaryLabel
from tarsy_session.phases.summary_labels import part_labels
from tarsy_session.prompts.task import compose_executive_summary_prompt
from tarsy_testing.story.story import ALERT, Story, chain

MULTI = LabelRule(
    labels=(
        SummaryLabel(label="page", description="now"),
        SummaryLabel(label="noise"),
        SummaryLabel(label="look and see"),
    ),
    multi=True,
    instructions="Think of the night.",
)
ONE = MULTI.model_copy(update={"multi": False})
NONE_NAMED = "The executive summary named no label."


@pytest.mark.parametrize(
    ("summary", "text", "labels"),
    [
        ("It died.\nLABELS: page, noise", "It died.", ("page", "noise")),
        ("It died.\n\n**Labels:** `Page`", "It died.", ("page",)),
        ("It died.\n\nLABELS:\n- page\n- noise\n", "It died.", ("page", "noise")),
        ("It died.\n```\nlabels: [page; noise]\n```", "It died.", ("page", "noise")),
        ("It died.\n\n---\n_LABEL_ = Page and look and see.", "It died.", ("page",)),
        ("It died.\nLABELS: look and see", "It died.", ("look and see",)),
        ("labels: app=x\n\nIt died.\nLABELS: page, page", "labels: app=x\n\nIt died.", ("page",)),
        ("LABELS: page", "LABELS: page", ("page",)),
        ("It died. Labels are: missing.", "It died. Labels are: missing.", ()),
        ("It died.", "It died.", ()),
        ("", "", ()),
    ],
)
def test_the_trailer_is_read_and_taken_off(summary: str, text: str, labels: tuple[str, ...]) -> None:
    found = part_labels(summary, MULTI)
    assert (found.text, found.labels) == (text, labels)


@pytest.mark.parametrize(
    ("rule", "summary", "labels", "error"),
    [
        (MULTI, "x\nLABELS: page, urgent", ("page",), "The executive summary named labels that do not count: urgent."),
        (MULTI, "x\nLABELS: none", (), "The executive summary named labels that do not count: none."),
        (MULTI, "x\nLABELS:", (), NONE_NAMED),
        (MULTI, "x", (), NONE_NAMED),
        (ONE, "x\nLABELS: noise, page", ("noise",), "The executive summary named labels that do not count: page."),
        (ONE, "x\nLABELS: noise", ("noise",), ""),
        (None, "x\nLABELS: noise", (), ""),
    ],
)
def test_what_does_not_count_is_dropped_and_said(
    rule: LabelRule | None, summary: str, labels: tuple[str, ...], error: str
) -> None:
    found = part_labels(summary, rule)
    assert (found.labels, found.error) == (labels, error)


@pytest.mark.timing
def test_a_hostile_ending_costs_no_time_and_is_said_in_short() -> None:
    began = time.monotonic()
    found = part_labels("x\n" + "-\n" * 100_000 + "LABELS: " + ", ".join(f"l{n}" for n in range(20_000)), MULTI)
    assert time.monotonic() - began < 5
    assert (found.labels, len(found.error) < 500) == ((), True)


def test_the_model_reads_the_labels_after_its_task_and_nothing_of_them_without_a_rule() -> None:
    prompt = compose_executive_summary_prompt(ALERT, "It died.", labels=ONE)
    assert prompt.endswith("- page: now\n- noise\n- look and see\n\nThink of the night.")
    assert "LABELS" not in compose_executive_summary_prompt(ALERT, "It died.")


def test_a_session_ends_with_the_labels_of_its_summary_and_without_them_in_its_text() -> None:
    plan = chain(executive_summary=True).model_copy(update={"labels": MULTI})
    story = Story(plan=plan).asking()
    story.when(story.answer("The pod was killed."))
    (ended,) = [
        one for one in story.when(story.answer("It died.\nLABELS: page, x")) if isinstance(one, e.SessionCompleted)
    ]
    assert (ended.executive_summary, ended.labels) == ("It died.", ("page",))
    assert ended.labels_error == "The executive summary named labels that do not count: x."
