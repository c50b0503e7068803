"""Given an agent that acts and sends others, when these change something, then its rules hold for them."""

import pytest
from action_story import ALLOWED, outcome_in

from tarsy_testing.story.delegation import child, plan, send
from tarsy_testing.story.story import DELETE, READ, Story, agent


def sending(action: str) -> Story:
    """The agent has sent Logs, which has asked for a change."""
    lead = agent("Lead", server=ALLOWED).model_copy(update={"action": action})
    chain = plan(lead)
    sub_agents = {name: one.model_copy(update={"servers": (ALLOWED,)}) for name, one in chain.sub_agents.items()}
    story = Story(plan=chain.model_copy(update={"sub_agents": sub_agents})).started()
    idempotent = DELETE.model_copy(update={"repeatable": True})
    story.offered(READ, idempotent)
    send(story, "restart api-7")
    story.when(story.answer("It hangs.", tools=(idempotent,), agent="Logs"))
    return story


@pytest.mark.parametrize(("action", "held_by"), [("propose", "propose"), ("act", "")])
def test_a_sub_agent_never_does_what_its_sender_may_only_propose(action: str, held_by: str) -> None:
    calls = sending(action).investigating.calls
    (changing,) = [one for one in calls.values() if one.requested.tool == DELETE.tool]
    assert (changing.completed.held_by if changing.completed else "") == held_by
    assert not changing.requested.repeatable, "what an action changes runs on a grant"


def test_what_a_sub_agent_changed_counts_as_done_by_the_stage() -> None:
    story = sending("act")
    (call_id,) = [id for id, one in story.investigating.calls.items() if one.requested.tool == DELETE.tool]
    story.when(story.claim(call_id))
    story.when(story.result(call_id))
    story.when(story.answer("Deleted.", agent="Logs"))
    assert not child(story, "restart api-7").open
    # It has answered before its sub-agent ended, and is asked once more.
    story.when(story.answer("I wait."))
    outcome = outcome_in(story.when(story.answer("Done.")))
    assert (outcome.verdict, outcome.done, [one.call_id for one in outcome.calls]) == ("acted", 1, [call_id])
