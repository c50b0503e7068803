"""Given an alert, when its sender reports that it is resolved, then its session notes it once, and its agents know."""

from dataclasses import replace
from datetime import datetime

import pytest

from tarsy_contracts import events as e
from tarsy_contracts.alert import Alert
from tarsy_contracts.conversation import UserMessage
from tarsy_contracts.messages import inputs as i
from tarsy_session.conversations.conversation import build_conversation
from tarsy_session.decide import decide
from tarsy_session.state import NOT_STARTED, AtRest
from tarsy_testing.story.story import ALERT, READ, SECOND, SESSION, Story, agent, chain, stage, types

FROM_ALERTMANAGER = ALERT.model_copy(update={"source": "alertmanager"})
STILL = "The alert still fires as far as TARSy knows: no resolution has come from alertmanager."
OVER = "The alert no longer fires: alertmanager reported at "
BOTH = chain(stage(agent("A"), agent("B")), executive_summary=True)


def story(alert: Alert = FROM_ALERTMANAGER) -> Story:
    return Story(alert=alert)


def prompt(story: Story, name: str = "") -> list[str]:
    messages = build_conversation(story.investigating, story.execution(name)).messages
    return [message.content for message in messages]


def sentence(reported: datetime) -> str:
    """As an agent reads it. Its end came 15 seconds before it was reported."""
    ended = reported - 16 * SECOND
    return f"{OVER}{reported:%Y-%m-%d %H:%M:%S} UTC that it is resolved, since {ended:%Y-%m-%d %H:%M:%S} UTC."


# The session


def test_a_session_that_never_was_is_not_opened() -> None:
    never = Story()
    assert never.when(never.resolution()) == []
    assert never.state == NOT_STARTED


def test_it_is_noted_once_in_every_phase_and_changes_nothing_else() -> None:
    for begun in (
        story().waiting(),
        story().started(),
        story().asking(),
        story().ended(),
        story().ended().questioned(),
    ):
        before = begun.state
        events = begun.when(begun.resolution(), input_id="resolved")
        ends_at = begun.now - 16 * SECOND
        assert events == [e.AlertResolved(input_id="resolved", source="alertmanager", ends_at=ends_at)]
        assert type(begun.state) is type(before)
        assert begun.when(begun.resolution(), input_id="resolved") == []
        assert begun.when(i.AlertResolutionReported(source="alertmanager"), input_id="another") == []


def test_a_session_that_is_being_cancelled_goes_on_to_its_end() -> None:
    begun = story().asking()
    begun.when(i.CancelRequested(request_id="r1", author="ann"))
    begun.when(begun.resolution())
    assert isinstance(begun.state, AtRest)


def test_of_two_on_the_log_the_first_counts() -> None:
    begun = story().asking()
    begun.when(begun.resolution())
    before = begun.investigating.alerts.resolved
    begun.append(e.AlertResolved(input_id="of other code", source="pager"), begun.given(begun.resolution()))
    assert begun.investigating.alerts.resolved == before


# An agent that runs


def test_an_agent_reads_it_after_the_answer_that_it_was_asked_for_already() -> None:
    begun = story().asking()
    begun.when(begun.resolution())
    reported = begun.now
    asked = prompt(begun)
    assert OVER not in asked[0], "the question that is being asked stays as it is"
    begun.when(begun.answer("I look.", tools=(READ,)))
    begun.when(begun.result(begun.call_ids[0], "no pods"))
    told = build_conversation(begun.investigating, begun.execution()).messages[-1]
    assert isinstance(told, UserMessage)
    assert told.content.startswith(f"[{sentence(reported)} Your task stays:")
    assert prompt(begun)[: len(asked)] == asked, "what was said is not changed, so that providers know it again"


def test_from_then_on_it_stays_where_it_was_said() -> None:
    begun = story().calling(READ)
    begun.when(begun.resolution())
    begun.when(begun.result(begun.call_ids[0], "no pods"))
    before = prompt(begun)
    assert OVER in before[-1], "in the very next prompt"
    begun.when(begun.answer("And again.", tools=(READ,)))
    begun.when(begun.result(begun.call_ids[1], "no pods"))
    assert prompt(begun)[: len(before)] == before
    assert sum(OVER in message for message in prompt(begun)) == 1


def test_each_of_several_agents_reads_it_at_its_own_place() -> None:
    begun = Story(plan=BOTH, alert=FROM_ALERTMANAGER).asking()
    begun.when(begun.answer("I look.", tools=(READ,), agent="A"))
    begun.when(begun.resolution())
    begun.when(begun.result(begun.call_ids[0], "no pods"))
    assert OVER in prompt(begun, "A")[-1]
    assert not any(OVER in message for message in prompt(begun, "B"))
    begun.when(begun.answer("I look, too.", tools=(READ,), agent="B"))
    begun.when(begun.result(begun.call_ids[1], "no pods"))
    assert OVER in prompt(begun, "B")[-1]


# Whoever begins later


def test_who_begins_before_it_is_told_that_none_has_come() -> None:
    assert STILL in prompt(story().asking())[0]


@pytest.mark.parametrize("source", ["api", "cloudevent", "kafka", "of a newer door"])
def test_nothing_is_said_where_nobody_would_know(source: str) -> None:
    told = prompt(story(ALERT.model_copy(update={"source": source})).asking())[0]
    assert "fires as far as" not in told
    assert OVER not in told


def test_an_agent_that_begins_later_reads_it_beside_the_alert_and_not_again() -> None:
    begun = story().waiting()
    begun.when(begun.resolution())
    reported = begun.now
    begun.when(i.SessionAdmitted())
    begun.offered()
    begun.when(begun.answer("I look.", tools=(READ,)))
    begun.when(begun.result(begun.call_ids[0], "no pods"))
    first, *later = prompt(begun)
    assert f"ALERT>>>\n\n{sentence(reported)}\n\n## The runbook" in first
    assert STILL not in first
    assert not any(OVER in message for message in later)


def test_the_synthesis_and_the_summary_read_it() -> None:
    begun = Story(plan=BOTH, alert=FROM_ALERTMANAGER).asking()
    begun.when(begun.answer("Nothing.", agent="A"))
    begun.when(begun.resolution())
    begun.when(begun.answer("A leak.", agent="B"))
    assert OVER in prompt(begun, "SynthesisAgent")[0]
    begun.when(begun.answer("A leak, says one."))
    assert OVER in prompt(begun, "ExecSummaryAgent")[0]


# The chat


def test_a_reply_reads_with_the_question_what_is_known_by_then() -> None:
    rested = story().ended()
    rested.questioned("Since when?")
    unresolved = prompt(rested)[0]
    assert f" UTC now. {STILL} ann asks:\n\nSince when?" in unresolved
    rested.when(rested.answer("Since three."))
    rested.when(rested.resolution())
    reported = rested.now
    rested.questioned("And now?")
    assert f" UTC now. {sentence(reported)} ann asks:\n\nAnd now?" in prompt(rested)[0]


def test_two_questions_have_the_same_alert_before_and_after_it() -> None:
    rested = story().ended()
    rested.questioned()
    before = prompt(rested)[0].partition("## The runbook")[0]
    rested.when(rested.answer("Since three."))
    rested.when(rested.resolution())
    rested.questioned()
    assert prompt(rested)[0].partition("## The runbook")[0] == before


def test_a_reply_that_is_being_written_reads_it_in_its_next_prompt() -> None:
    rested = story().ended().questioned()
    rested.when(rested.answer("I look.", tools=(READ,)))
    rested.when(rested.resolution())
    rested.when(rested.result(rested.call_ids[-1], "no pods"))
    assert OVER in prompt(rested)[-1]


def test_it_is_known_again_after_the_session_was_read_again() -> None:
    rested = story().ended()
    assert types(rested.when(rested.resolution())) == ["alert.resolved"]
    assert isinstance(rested.state, AtRest)
    assert rested.state.alerts.resolved is not None
    assert rested.state.alerts.resolved.after_turns == {}


# A sender that does not say which episode ended (Grafana 12)


@pytest.mark.parametrize(
    ("began", "ended", "noted"),
    [(-600, -60, True), (-600, None, True), (None, -60, True), (-60, -600, False)],
)
def test_an_end_without_a_start_ends_the_last_episode_that_began_before_it(
    began: int | None, ended: int | None, noted: bool
) -> None:
    begun = story().asking()
    at = {name: None if after is None else begun.now + after * SECOND for name, after in (("b", began), ("e", ended))}
    begun.when(i.AlertReceived(alert=FROM_ALERTMANAGER, starts_at=at["b"]), input_id="again")
    over = i.AlertResolutionReported(source="grafana", ends_at=at["e"], start_unknown=True)
    other_id = replace(begun.given(over), alert_id="another id, of the end", input_id="over")
    assert ("alert.resolved" in [event.type for event in decide(SESSION, begun.state, other_id)]) is noted
    named = replace(other_id, input=over.model_copy(update={"start_unknown": False}))
    assert decide(SESSION, begun.state, named) == []
