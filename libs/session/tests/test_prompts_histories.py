"""Histories are bounded: what is long gets shorter, and what agents concluded stays."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prompt_material import ALERT, NO_RUNBOOK, fences, history, said, used

from tarsy_session.prompts.histories import HISTORIES_LIMIT, compose_histories
from tarsy_session.prompts.material import AgentHistory
from tarsy_session.prompts.task import compose_synthesis_prompt
from tarsy_session.text import MARK_ROOM, share_out, shorten

MB = 1_000_000
LEFT_OUT = "characters left out"


def long(name: str, size: int, steps: int) -> AgentHistory:
    """Most of it results, some of it thoughts."""
    each = size // steps
    turns = [(said("Next.", "t" * (each // 5)), used("first" + "r" * (each * 4 // 5) + "last")) for _ in range(steps)]
    return history(name, *(step for turn in turns for step in turn), analysis=f"{name} " + "saw it " * 1000 + name)


def test_histories_of_five_megabytes_are_bounded_and_every_analysis_is_whole() -> None:
    histories = [long("A", 3 * MB, 20), long("B", 2 * MB - 10_000, 15), long("C", 10_000, 2)]
    prompt = compose_synthesis_prompt(ALERT, NO_RUNBOOK, "s", histories)
    assert HISTORIES_LIMIT * 0.9 < len(prompt) < HISTORIES_LIMIT + 5000
    assert all(each.analysis in prompt for each in histories)


@pytest.mark.parametrize("steps", [1, 100, 1000, 20_000])
def test_the_bound_holds_for_few_long_steps_and_for_many_short_ones(steps: int) -> None:
    histories = [long(name, 5 * MB, steps) for name in "AB"]
    told = compose_histories(histories, HISTORIES_LIMIT)
    assert HISTORIES_LIMIT * 0.3 < len(told) <= HISTORIES_LIMIT
    assert all(each.analysis in told for each in histories)


def test_steps_are_left_out_in_the_middle_only_and_this_is_told() -> None:
    told = compose_histories(
        [history("A", *(used(f"result {number} " + "r" * 80) for number in range(1, 1001)))], 40_000
    )
    assert "result 1 " in told
    assert "result 1000 " in told
    assert "result 500 " not in told
    kept = fences(told).count("TOOL RESULT")
    assert f"[Steps left out: {1000 - kept}]" in told
    assert f"Step {1000 - kept // 2 + 1}." in told.split("[Steps left out")[1].split("\n\n")[1]


def test_nothing_is_shortened_where_there_is_room() -> None:
    histories = [long("A", 300_000, 10), long("B", 20_000, 10)]
    assert LEFT_OUT not in compose_histories(histories, HISTORIES_LIMIT)


def test_an_agent_that_needs_little_loses_nothing_to_one_that_needs_much() -> None:
    told = compose_histories([long("A", 3 * MB, 5), long("B", 90_000, 5)], HISTORIES_LIMIT)
    first, second = told.split("### Agent 2 of 2")
    assert LEFT_OUT in first
    assert LEFT_OUT not in second


def test_two_that_need_too_much_get_the_same() -> None:
    told = compose_histories([long("A", 4 * MB, 5), long("B", MB, 5)], HISTORIES_LIMIT)
    first, second = told.split("### Agent 2 of 2")
    assert len(first) == pytest.approx(len(second), rel=0.05)


def test_long_results_are_shortened_before_anything_else() -> None:
    thought = "t" * 20_000
    told = compose_histories(
        [history("A", said("", thought), used("first" + "r" * MB + "last"), used("short"))], 50_000
    )
    assert thought in told
    assert "<<<TOOL RESULT\nfirstr" in told
    assert "rlast\nTOOL RESULT>>>" in told
    assert "<<<TOOL RESULT\nshort\nTOOL RESULT>>>" in told
    assert told.count(LEFT_OUT) == 1


def test_results_keep_a_part_of_the_room_when_thoughts_would_take_all() -> None:
    told = compose_histories([history("A", said("", "t" * MB), used("r" * MB))], 50_000)
    assert told.count("r" * 5000) >= 1
    assert told.count("t" * 20_000) >= 1
    assert len(told) <= 50_000


def test_an_analysis_that_alone_is_too_long_keeps_its_head_and_its_tail() -> None:
    first = history("A", used("r" * 1000), analysis="cause" + "a" * MB + "end")
    told = compose_histories([first, history("B", analysis="b")], HISTORIES_LIMIT)
    assert len(told) <= HISTORIES_LIMIT
    assert "<<<ANALYSIS\ncausea" in told
    assert "aend\nANALYSIS>>>" in told
    assert "<<<ANALYSIS\nb\nANALYSIS>>>" in told


def test_a_long_error_is_shortened_and_takes_nothing_from_the_analysis() -> None:
    failed = AgentHistory(agent="A", status="failed", analysis="a" * 1000, error="e" * MB, steps=())
    told = compose_histories([failed], HISTORIES_LIMIT)
    assert "a" * 1000 in told
    assert len(told) < 6000


def test_the_last_words_are_not_told_again_when_they_are_the_analysis() -> None:
    told = compose_histories(
        [history("A", said("It is memory.\n", "Clear now."), analysis="It is memory.")], HISTORIES_LIMIT
    )
    assert told.count("It is memory.") == 1
    assert "Clear now." in told


@given(st.lists(st.integers(min_value=0, max_value=10_000)), st.integers(min_value=0, max_value=50_000))
def test_shares_are_fair(needs: list[int], total: int) -> None:
    given_out = share_out(needs, total)
    assert sum(given_out) <= total
    assert all(got <= need for got, need in zip(given_out, needs, strict=True))
    short = [got for got, need in zip(given_out, needs, strict=True) if got < need]
    if not short:
        assert given_out == needs
    else:
        assert sum(given_out) == total
        assert max(short) - min(short) <= 1
        assert max(given_out) - min(short) <= 1


@given(st.text(), st.integers(min_value=0, max_value=200))
def test_a_shortened_text_is_short_enough_and_begins_and_ends_as_it_did(text: str, limit: int) -> None:
    short = shorten(text, limit)
    assert len(short) <= max(limit, MARK_ROOM)
    if len(text) <= limit:
        assert short == text


def test_a_shortened_text_says_how_much_is_missing() -> None:
    assert shorten("a" * 100 + "b" * 100, 80) == "a" * 20 + "\n[... 170 characters left out ...]\n" + "b" * 10
