"""Given a plan with a judge, when an investigation ends, then it is judged by what the record shows, once."""

import json
from typing import Any

import pytest

from tarsy_contracts import events as e
from tarsy_contracts.messages import inputs as i
from tarsy_contracts.scores import Score, ScoreFacts
from tarsy_session.scoring.answer import read_score
from tarsy_session.scoring.facts import find_facts
from tarsy_session.scoring.prompts import PROMPT_DIGEST, compose_judgement
from tarsy_session.state import AtRest
from tarsy_testing.story.story import READ, Story, agent, chain, types

ANALYSIS = "A leak [call 1].\n\nConfidence: high - it is in the log"
JUDGED = {
    "score": 72,
    "dimensions": {"outcome": 80, "evidence": 60, "style": 3},
    "tags": ["incomplete_evidence", "bad_manners"],
    "deductions": [
        {"dimension": "evidence", "points": 15, "reason": "no limits looked at", "calls": [1, 9]},
        {"dimension": "outcome", "points": 13, "reason": "vague", "calls": "none"},
    ],
    "summary": "Right, and thin.",
    "tools": {"missing": [{"tool": "memory over time", "why": "one look is no trend"}]},
}


def story(rate: float = 1.0, *, judged: bool = True) -> Story:
    judge = agent("ScoringAgent", controller="single_shot").model_copy(update={"llm_provider": "judge"})
    plan = chain().model_copy(update={"scoring": judge if judged else None, "scoring_rate": rate})
    return Story(plan=plan)


def ended(analysis: str = ANALYSIS, rate: float = 1.0, *, judged: bool = True) -> tuple[Story, list[e.Event]]:
    """One call was made, and the investigation has come to this."""
    one = story(rate, judged=judged).calling(READ)
    one.when(one.result(one.call_ids[-1], "out of memory"))
    return one, one.when(one.answer(analysis))


def scored(answer: str) -> tuple[Story, e.PhaseCompleted]:
    one, _ = ended()
    one.when(i.SessionAdmitted())
    completed = next(event for event in one.when(one.answer(answer)) if isinstance(event, e.PhaseCompleted))
    return one, completed


def ask(one: Story, request_id: str = "s") -> list[e.Event]:
    return one.when(i.ScoreRequested(request_id=request_id, author="ann"))


def test_a_finished_investigation_is_judged_by_the_judges_own_provider() -> None:
    one, events = ended()
    assert types(events)[-2:] == ["session.completed", "phase.requested"]
    one.when(i.SessionAdmitted())
    assert one.execution().llm_provider == "judge"
    assert one.investigating.stages[-1].started.stage_type == "scoring"


@pytest.mark.parametrize(("rate", "judged"), [(0.0, True), (1.0, False)])
def test_without_a_judge_or_a_share_nothing_is_judged(rate: float, judged: bool) -> None:
    one, events = ended(rate=rate, judged=judged)
    assert types(events)[-1] == "session.completed"
    assert isinstance(one.state, AtRest)


def test_the_score_stands_in_the_end_of_the_phase_with_what_the_record_knows() -> None:
    one, completed = scored(f"Here it is:\n```json\n{json.dumps(JUDGED)}\n```")
    score = Score.model_validate(completed.result)
    assert (score.score, score.dimensions) == (72, {"outcome": 80, "evidence": 60})
    assert score.tags == ("incomplete_evidence",)
    assert [(one.points, one.calls) for one in score.deductions] == [(15, (1,)), (13, ())]
    assert score.deductions_left_out == 1
    assert (score.prompt_digest, score.llm_provider) == (PROMPT_DIGEST, "judge")
    assert (score.facts.calls, score.facts.cited_calls, score.facts.confidence) == (1, 1, "high")
    assert isinstance(one.state, AtRest)


@pytest.mark.parametrize("answer", ["72", "", "{}", '{"score": 172}', '{"score": "good"}', "{" * 5_000])
def test_an_answer_without_a_score_fails_and_is_asked_for_once_more(answer: str) -> None:
    one, first = scored(answer)
    assert (first.status, first.result) == ("failed", None)
    one.when(i.SessionAdmitted())
    again = one.when(one.answer(answer))[-1]
    assert isinstance(again, e.PhaseCompleted)
    assert isinstance(one.state, AtRest)
    assert len(one.state.phase_runs) == 2


def test_a_person_has_it_judged_once_more_and_the_earlier_score_stays() -> None:
    one, _ = scored(json.dumps(JUDGED))
    assert types(ask(one)) == ["request.accepted", "phase.requested"]
    assert ask(one) == []
    one.when(i.SessionAdmitted())
    one.when(one.answer('{"score": 40}'))
    assert isinstance(one.state, AtRest)
    results = [run.completed.result for run in one.state.phase_runs if run.completed is not None]
    assert [Score.model_validate(result).score for result in results] == [72, 40]


def test_who_asks_too_early_twice_at_once_or_where_there_is_no_judge_is_told() -> None:
    running, _ = ended()
    assert refused(ask(running)) == "the investigation is being judged already"
    without, _ = ended(judged=False)
    assert refused(ask(without)).startswith("the plan of this session names no judge")
    open_one = story().asking()
    assert refused(ask(open_one)) == "the investigation has not ended yet"
    replying, _ = ended(judged=False)
    replying.when(replying.question())
    assert refused(ask(replying)) == "a reply is being written: wait for its end"


def refused(events: list[e.Event]) -> str:
    (one,) = events
    assert isinstance(one, e.RequestRefused)
    return one.reason


def test_the_judge_reads_the_facts_the_calls_and_the_analysis() -> None:
    one, _ = ended("A leak.")
    one.when(i.SessionAdmitted())
    state = one.investigating
    prompt = compose_judgement(state, state.stages[-1], one.now, ())
    for text in ("calls: 1", "cited_calls: 0", "[call 1]", "out of memory", "A leak."):
        assert text in prompt


@pytest.mark.parametrize(
    ("facts", "tags"),
    [
        ({"calls": 2}, ("evidence_not_cited",)),
        ({"calls": 2, "cited_calls": 1, "unknown_citations": (7,)}, ("hallucinated_evidence",)),
        ({"calls": 4, "cited_calls": 1, "repeated_calls": 3}, ("budget_wasted",)),
        ({}, ()),
    ],
)
def test_what_the_record_knows_needs_no_judge(facts: dict[str, Any], tags: tuple[str, ...]) -> None:
    assert read_score('{"score": 50}', ScoreFacts(**facts), (), "judge").tags == tags


def test_the_facts_are_those_of_the_investigation_alone() -> None:
    one, _ = ended()
    before = find_facts(one.investigating)
    one.when(one.question())
    one.offered(READ)
    one.when(one.answer("looking", tools=(READ,)))
    assert find_facts(one.investigating) == before
    assert (before.iterations, before.tools_offered, before.tools_never_used) == (
        2, 2, ("kubernetes.pods_delete",)
    )  # fmt: skip
