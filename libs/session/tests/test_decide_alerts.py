"""Given a session, when its alert comes again or is over, then it is counted, and its agents know what changed."""

from dataclasses import replace

from tarsy_contracts import events as e
from tarsy_contracts.conversation import UserMessage
from tarsy_contracts.messages import inputs as i
from tarsy_session.conversations.conversation import build_conversation
from tarsy_session.decide import decide
from tarsy_session.decision_input import DecisionInput, EarlierAlert
from tarsy_session.decisions.alerts import MOST_MEMBERS, NEVER_BEGAN, NEWS_LIMIT
from tarsy_session.evolution.alerts import MOST_NEWS
from tarsy_session.state import AtRest
from tarsy_testing.story.story import ALERT, READ, SESSION, Story, chain, types

FROM_ALERTMANAGER = ALERT.model_copy(update={"source": "alertmanager"})
AGAIN = i.AlertReceived(alert=FROM_ALERTMANAGER)
FLAP = "22222222-2222-5222-8222-222222222222"


def again(
    story: Story, *, input_id: str, alert_id: str = SESSION, repeats: tuple[EarlierAlert, ...] = ()
) -> list[e.Event]:
    given = replace(story.given(AGAIN, input_id=input_id), alert_id=alert_id, repeats=repeats)
    return played(story, given)


def resolved(story: Story, alert_id: str) -> list[e.Event]:
    return played(story, replace(story.given(story.resolution(), input_id=f"end of {alert_id}"), alert_id=alert_id))


def played(story: Story, given: DecisionInput) -> list[e.Event]:
    story.offset += 1
    events = decide(SESSION, story.state, given)
    for event in events:
        story.append(event, given)
    return events


def repeated(story: Story) -> e.AlertRepeated:
    event = story.log[-1].event
    assert isinstance(event, e.AlertRepeated)
    return event


def news(story: Story) -> list[str]:
    messages = build_conversation(story.investigating, story.execution()).messages[1:]
    return [one.content for one in messages if isinstance(one, UserMessage)]


# Again


def test_the_session_keeps_the_deduplication_key_of_its_alert() -> None:
    story = Story()
    received = i.AlertReceived(alert=ALERT, deduplication=i.Deduplication(key="k", window_seconds=60))
    started = story.when(received)[0]
    assert isinstance(started, e.SessionStarted)
    assert started.deduplication_key == "k"


def test_an_alert_that_joins_is_counted_with_the_id_that_its_sender_was_given() -> None:
    story = Story().asking()
    again(story, input_id="a", alert_id=FLAP)
    again(story, input_id="b")
    assert repeated(story).joined == ()
    assert (repeated(story).count, repeated(story).total) == (1, 2)


def test_alerts_that_are_decided_together_are_one_event_that_counts_each_input_once() -> None:
    story = Story().asking()
    again(story, input_id="a", alert_id="first")
    earlier = tuple(EarlierAlert(id, f"session of {id}", story.offset) for id in ("a", "b", "c", "b"))
    again(story, input_id="d", alert_id="last", repeats=earlier)
    assert (repeated(story).count, repeated(story).total) == (3, 4), "a was counted, and b came twice"
    assert repeated(story).joined == ("session of b", "session of c", "last")
    assert repeated(story).input_id == "d"


def test_those_before_an_input_that_was_counted_already_are_not_lost() -> None:
    story = Story().asking()
    again(story, input_id="a")
    again(story, input_id="a", repeats=(EarlierAlert("b", "session of b", story.offset),))
    assert (repeated(story).input_id, repeated(story).count, repeated(story).total) == ("b", 1, 2)


def test_of_alerts_that_are_decided_together_those_that_were_decided_before_are_not_counted_again() -> None:
    """An owner died after a batch, and the next one reads more inputs together: a storm was counted twice."""
    story = Story().asking()
    decided = story.offset
    again(story, input_id="b", repeats=(EarlierAlert("a", "session of a", decided - 1),))
    before = tuple(EarlierAlert(id, f"session of {id}", decided) for id in ("a", "b"))
    again(story, input_id="c", repeats=before)
    assert (repeated(story).count, repeated(story).joined) == (1, ())


def test_ten_thousand_are_counted_and_the_state_stays_small() -> None:
    story = Story().asking()
    for number in range(20):
        earlier = tuple(EarlierAlert(f"{number}/{one}", f"{number}/{one}", story.offset) for one in range(499))
        again(story, input_id=f"{number}", repeats=earlier)
    assert story.investigating.alerts.count == 10_000
    assert len(story.investigating.alerts.recent) <= 50


# It is over, and comes back


def test_an_alert_that_comes_back_is_told_to_the_agent_that_knows_that_it_was_over() -> None:
    story = Story(alert=FROM_ALERTMANAGER).calling(READ)
    resolved(story, SESSION)
    again(story, input_id="flap", alert_id=FLAP)
    story.when(story.result(story.call_ids[0], "no pods"))
    told = news(story)
    assert told[-2].startswith("[The alert no longer fires: alertmanager reported")
    assert told[-1].startswith("[The alert fires again: alertmanager reported it at ")
    assert types(resolved(story, FLAP)) == ["alert.resolved"], "it is over again"
    assert news(story)[:-1] == told or news(story) == told, "what was told stays"


def test_the_same_episode_sent_once_more_after_its_end_does_not_fire_again() -> None:
    story = Story(alert=FROM_ALERTMANAGER).calling(READ)
    resolved(story, SESSION)
    again(story, input_id="late")
    assert story.investigating.alerts.resolved is not None


def test_the_end_of_an_earlier_episode_says_nothing_of_the_one_that_fires() -> None:
    story = Story(alert=FROM_ALERTMANAGER).asking()
    again(story, input_id="flap", alert_id=FLAP)
    assert resolved(story, SESSION) == []
    assert types(resolved(story, FLAP)) == ["alert.resolved"]


def test_an_alert_that_flaps_for_hours_fills_no_conversation() -> None:
    story = Story(alert=FROM_ALERTMANAGER).calling(READ)
    for number in range(3 * MOST_NEWS):
        resolved(story, SESSION if number == 0 else f"flap {number - 1}")
        again(story, input_id=f"{number}", alert_id=f"flap {number}")
    assert len(story.investigating.alerts.news) == MOST_NEWS
    assert story.investigating.alerts.resolved is None, "the last word counts all the same"


# It is over before anybody looked


def test_a_session_that_waits_ends_when_its_alert_is_over_where_the_chain_says_so() -> None:
    story = Story(alert=FROM_ALERTMANAGER, plan=chain().model_copy(update={"cancel_resolved": True})).waiting()
    events = story.when(story.resolution())
    assert types(events) == ["alert.resolved", "session.cancelled"]
    assert events[-1] == e.SessionCancelled(author="alertmanager", reason=NEVER_BEGAN)
    assert isinstance(story.state, AtRest)
    assert story.when(i.SessionAdmitted()) == [], "its turn came too late"


def test_one_that_has_begun_goes_on() -> None:
    plan = chain().model_copy(update={"cancel_resolved": True})
    for story in (Story(plan=plan).started(), Story(plan=plan).asking(), Story(plan=plan).ended()):
        if story.state.__class__ is AtRest or story.investigating.stages:
            assert types(story.when(story.resolution())) == ["alert.resolved"]


# Groups


def group(*ids: str) -> i.AlertReceived:
    members = tuple(i.GroupMember(id=id, text=f"pod {id} is down") for id in ids)
    return i.AlertReceived(alert=FROM_ALERTMANAGER, members=members)


def test_an_alert_that_comes_into_the_group_is_noted_with_its_content_and_told_to_the_agent() -> None:
    story = Story()
    story.when(group("a", "b"))
    story.when(i.SessionAdmitted())
    story.offered()
    story.when(story.answer("I look.", tools=(READ,)))
    story.when(group("a", "b", "c"))
    assert repeated(story).members == ("c",)
    assert repeated(story).news == "pod c is down"
    story.when(group("a", "b", "c"))
    assert (repeated(story).members, repeated(story).news) == ((), "")
    story.when(story.result(story.call_ids[0], "no pods"))
    assert "pod c is down" in news(story)[-1]
    assert sum("pod c is down" in one for one in news(story)) == 1


def test_an_agent_that_begins_later_reads_who_came_into_the_group() -> None:
    story = Story()
    story.when(group("a"))
    story.when(group("a", "b"))
    story.when(i.SessionAdmitted())
    story.offered()
    assert "pod b is down" in build_conversation(story.investigating, story.execution()).messages[0].content


def test_a_group_is_over_when_its_sender_says_so_of_the_whole() -> None:
    story = Story(alert=FROM_ALERTMANAGER).asking()
    again(story, input_id="x", alert_id=FLAP)
    over = i.AlertResolutionReported(source="alertmanager", whole_group=True)
    assert types(played(story, replace(story.given(over), alert_id="another"))) == ["alert.resolved"]


def test_the_news_of_a_group_and_the_members_that_are_known_are_bounded() -> None:
    story = Story().started()
    crowd = tuple(i.GroupMember(id=str(number), text="x" * 100) for number in range(2 * MOST_MEMBERS))
    story.when(i.AlertReceived(alert=FROM_ALERTMANAGER, members=crowd))
    assert len(repeated(story).news) == NEWS_LIMIT
    assert len(story.investigating.alerts.members) == MOST_MEMBERS
