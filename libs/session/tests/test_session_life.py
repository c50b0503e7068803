"""The lives of a session: what stays when one has ended, and from where its clocks count. Pure."""

from datetime import timedelta

from tarsy_contracts.messages import inputs as i
from tarsy_session.deadlines import list_deadlines
from tarsy_session.state import AtRest
from tarsy_testing.story.story import DELETE, READ, Story


def test_a_session_at_rest_keeps_its_stages_its_executions_and_their_turns() -> None:
    story = Story().calling(READ)
    story.when(story.claim(story.call_ids[0]))
    story.when(story.result(story.call_ids[0], "the pod is out of memory"))
    before = story.execution()
    story.when(story.answer("Out of memory."))
    rested = story.state
    assert isinstance(rested, AtRest)
    (stage,) = rested.stages
    (kept,) = (rested.executions[id] for id in stage.executions)
    assert stage.completed is not None
    assert kept.turns[: len(before.turns)] == before.turns
    assert kept.turns[-1].final_answer == "Out of memory."
    assert [rested.calls[id].completed is not None for turn in kept.turns for id in turn.calls] == [True]


def test_an_outcome_learned_at_rest_stands_behind_the_last_turn_of_its_agent() -> None:
    story = Story().calling(DELETE)
    call = story.call_ids[0]
    story.when(story.claim(call))
    story.when(i.WorkerDied(call_id=call, claim_id="claim-1", worker_id="worker-1"))
    story.when(story.answer("It may be gone."))
    story.when(story.result(call, "deleted api-7"))
    rested = story.state
    assert isinstance(rested, AtRest)
    (execution,) = rested.executions.values()
    learned = rested.calls[call].learned
    assert learned is not None
    assert learned.after_turn == len(execution.turns)


def test_the_time_of_an_investigation_counts_from_its_first_stage_not_from_its_alert() -> None:
    story = Story().waiting()
    opened_at = story.investigating.life.opened_at
    assert story.investigating.life.began_at is None
    story.now += timedelta(hours=1)
    story.when(i.SessionAdmitted())
    life = story.investigating.life
    assert (life.opened_at, life.began_at) == (opened_at, story.now)
    limit = timedelta(seconds=story.chain.limits.session_seconds)
    assert {one.at for one in list_deadlines(story.investigating)} >= {story.now + limit}
