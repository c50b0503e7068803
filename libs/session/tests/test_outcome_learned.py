"""An outcome that is learned late, while the session still runs: its agent reads it in its next prompt. Pure."""

from tarsy_contracts.conversation import UserMessage
from tarsy_contracts.messages import inputs as i
from tarsy_contracts.messages.control import ClaimRefused
from tarsy_session.conversations.conversation import build_conversation
from tarsy_session.replies import replies_to
from tarsy_testing.story.story import DELETE, READ, Story, agent, chain, stage, types


def died(call_id: str) -> i.WorkerDied:
    return i.WorkerDied(call_id=call_id, claim_id="claim-1", worker_id="worker-1")


def with_an_unknown_outcome() -> tuple[Story, str]:
    """The agent has read that it is unknown, and is being asked what it makes of it."""
    story = Story().calling(DELETE)
    call = story.call_ids[0]
    story.when(story.claim(call))
    story.when(died(call))
    return story, call


def prompt(story: Story, name: str = "") -> list[str]:
    messages = build_conversation(story.investigating, story.execution(name)).messages
    return [message.content for message in messages]


def test_the_agent_reads_the_outcome_after_the_answer_that_it_was_asked_for_already() -> None:
    story, call = with_an_unknown_outcome()
    asked = prompt(story)
    assert types(story.when(story.result(call, "deleted api-7"))) == ["tool_call.outcome_learned"]
    assert prompt(story) == asked, "the same question, also when another owner has to ask it again"

    story.when(story.answer("I look whether it is gone.", tools=(READ,)))
    story.when(story.result(story.call_ids[1], "no pods"))
    conversing = build_conversation(story.investigating, story.execution()).messages
    told = conversing[-1]
    assert isinstance(told, UserMessage)
    assert "pods_delete" in told.content
    assert "known now: ok" in told.content
    assert "<<<TOOL RESULT\ndeleted api-7\nTOOL RESULT>>>" in told.content
    assert prompt(story)[: len(asked)] == asked, "what was said is not changed, so that providers know it again"


def test_from_then_on_it_stays_where_it_was_said() -> None:
    story, call = with_an_unknown_outcome()
    story.when(story.result(call, "deleted"))
    story.when(story.answer("I look.", tools=(READ,)))
    story.when(story.result(story.call_ids[1], "no pods"))
    before = prompt(story)
    story.when(story.answer("And again.", tools=(READ,)))
    story.when(story.result(story.call_ids[2], "no pods"))
    assert prompt(story)[: len(before)] == before
    assert sum("known now" in message for message in prompt(story)) == 1


def test_an_outcome_that_is_learned_while_the_agent_waits_for_another_call_is_in_the_very_next_prompt() -> None:
    story = Story().calling(DELETE, READ)
    delete, read = story.call_ids
    story.when(story.claim(delete))
    story.when(died(delete))
    story.when(story.result(delete, "deleted"))
    story.when(story.result(read, "no pods"))
    assert "known now: ok" in prompt(story)[-1]


def test_an_agent_that_has_concluded_is_not_asked_again_and_whoever_reads_its_history_knows() -> None:
    both = chain(stage(agent("A"), agent("B")))
    story = Story(plan=both).asking()
    story.when(story.answer("I delete it.", tools=(DELETE,), agent="A"))
    call = story.call_ids[0]
    story.when(story.claim(call))
    story.when(died(call))
    story.when(story.answer("Perhaps it is deleted.", agent="A"))
    assert types(story.when(story.result(call, "deleted api-7"))) == ["tool_call.outcome_learned"]
    story.when(story.answer("Nothing.", agent="B"))
    synthesis = prompt(story, "SynthesisAgent")[0]
    assert "deleted api-7" in synthesis
    assert "became known later" in synthesis
    assert "Outcome unknown" not in synthesis


def test_a_worker_that_was_taken_for_dead_is_told_that_its_claim_is_void() -> None:
    """It may have slept with a grant unread."""
    story, call = with_an_unknown_outcome()
    refused = ClaimRefused(call_id=call, claim_id="claim-1", reason="its worker was taken for dead")
    assert replies_to(story.state, died(call)) == [refused]
    story.when(story.answer("done"))
    assert replies_to(story.state, died(call)) == [refused], "told again, when the input is met again"


def test_also_of_a_call_that_became_free_and_not_the_call_itself_which_another_may_run() -> None:
    story = Story().calling(READ)
    call = story.call_ids[0]
    story.when(story.claim(call))
    story.when(died(call))
    story.when(story.claim(call, "claim-2", "worker-2"))
    assert replies_to(story.state, died(call)) == [
        ClaimRefused(call_id=call, claim_id="claim-1", reason="its worker was taken for dead")
    ]


def test_while_its_claim_is_good_nobody_is_told() -> None:
    story = Story().calling(DELETE)
    call = story.call_ids[0]
    story.when(story.claim(call, "claim-2"))
    other = i.WorkerDied(call_id=call, claim_id="claim-2", worker_id="worker-1")
    assert replies_to(story.state, other) == []


def test_of_a_call_that_became_free_and_that_may_run_twice_nobody_is_told() -> None:
    """Where there is no other worker, the one that slept finishes what it has begun."""
    story = Story().calling(READ)
    story.when(story.claim(story.call_ids[0]))
    story.when(died(story.call_ids[0]))
    assert replies_to(story.state, died(story.call_ids[0])) == []


def test_whoever_claims_what_runs_elsewhere_is_refused_though_it_may_run_twice() -> None:
    story = Story().calling(READ)
    call = story.call_ids[0]
    story.when(story.claim(call))
    late = story.claim(call, "claim-2", "worker-2")
    story.when(late)
    assert replies_to(story.state, late) == [
        ClaimRefused(call_id=call, claim_id="claim-2", reason="the call has another claim")
    ]
    assert replies_to(story.state, story.claim(call)) == []
