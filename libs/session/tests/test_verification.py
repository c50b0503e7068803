"""Given an action that ran, when its effect had its time, then a call that only reads shows whether it helped."""

from datetime import timedelta

import pytest
from action_story import acting, deleting, outcome_in, run_last_call

from tarsy_contracts import events as e
from tarsy_contracts.actions import VerificationRule
from tarsy_contracts.messages import inputs as i
from tarsy_contracts.wire.ids import verification_id, verification_wait_id
from tarsy_session.effects import DeadlineEffect, ToolCallEffect, effects_of
from tarsy_session.state import AtRest
from tarsy_testing.story.story import Story, types

RULE = VerificationRule(
    server="prometheus", tool="query", arguments={"query": "{query}"}, after_seconds=60, lacks=('"metric"',)
)
DATA = '{"generatorURL": "http://prom/graph?g0.expr=up%7Bjob%3D%22api%22%7D+%3D%3D+0&g0.tab=1"}'


def acted(rule: VerificationRule = RULE, *, data: str = DATA) -> Story:
    """The agent that acted has said its last word."""
    story = deleting(acting(verify=rule, data=data))
    run_last_call(story)
    story.when(story.answer("Deleted."))
    return story


def waited(story: Story) -> list[e.Event]:
    """The effect has had its time."""
    stage = story.investigating.stage
    assert stage is not None
    story.now += timedelta(seconds=60)
    return story.when(i.DeadlinePassed(call_id=verification_wait_id(stage.started.stage_id)))


def looked(story: Story, content: str, **changes: object) -> list[e.Event]:
    waited(story)
    return story.when(story.result(story.call_ids[-1], content).model_copy(update=changes))


def test_the_stage_waits_for_the_effect_and_then_asks_what_the_alert_itself_asks() -> None:
    story = acted()
    stage = story.investigating.stage
    assert stage is not None
    assert stage.open
    wait = verification_wait_id(stage.started.stage_id)
    assert wait in {one.id for one in effects_of(story.state) if isinstance(one, DeadlineEffect)}
    assert story.when(i.DeadlinePassed(call_id=wait)) == []
    (asked,) = waited(story)
    assert isinstance(asked, e.ToolCallRequested)
    assert (asked.server, asked.tool, asked.arguments) == ("prometheus", "query", {"query": 'up{job="api"} == 0'})
    assert (asked.read_only, asked.repeatable, asked.verifies) == (True, True, stage.started.stage_id)
    assert [one.id for one in effects_of(story.state) if isinstance(one, ToolCallEffect)] == [asked.call_id]


@pytest.mark.parametrize(("content", "helped"), [('{"result": []}', "yes"), ('{"result": [{"metric": {}}]}', "no")])
def test_the_result_decides_whether_it_helped_and_the_stage_ends(content: str, helped: str) -> None:
    story = acted()
    events = looked(story, content)
    outcome = outcome_in(events)
    assert (outcome.verdict, outcome.done, outcome.helped, outcome.not_verified) == ("acted", 1, helped, "")
    assert isinstance(story.state, AtRest)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"outcome": "unavailable"}, "the call that was to show it ended as unavailable"),
        ({"cut": True}, "the result of the call that was to show it was cut"),
    ],
)
def test_without_a_whole_result_nobody_knows_whether_it_helped(changes: dict[str, object], why: str) -> None:
    outcome = outcome_in(looked(acted(), "nothing", **changes))
    assert (outcome.helped, outcome.not_verified) == ("unknown", why)


def test_an_alert_that_does_not_say_its_query_is_not_verified_and_the_stage_does_not_wait() -> None:
    story = deleting(acting(verify=RULE, data="it burns"))
    run_last_call(story)
    outcome = outcome_in(story.when(story.answer("Deleted.")))
    assert (outcome.helped, outcome.not_verified) == ("unknown", "the alert does not say its query")


def test_where_nothing_was_done_nobody_looks() -> None:
    story = acting(verify=RULE, data=DATA)
    outcome = outcome_in(story.when(story.answer("Nothing to do.")))
    assert (outcome.verdict, outcome.helped) == ("nothing_to_do", "")


def test_a_session_that_ends_before_anybody_looked_says_so() -> None:
    story = acted()
    events = story.when(i.CancelRequested(request_id="stop", author="ann"))
    assert types(events)[-1] == "session.cancelled"
    outcome = outcome_in(events)
    assert (outcome.verdict, outcome.helped, outcome.not_verified) == (
        "acted", "unknown", "the stage ended before anybody looked"
    )  # fmt: skip


def test_the_call_has_one_id_so_that_no_owner_makes_a_second_one() -> None:
    story = acted()
    stage = story.investigating.stage
    assert stage is not None
    waited(story)
    assert story.call_ids[-1] == verification_id(stage.started.stage_id)
    assert waited(story) == []
