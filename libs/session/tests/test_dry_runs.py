"""Given a tool whose calls can be tried out, when an agent wants to change something, then it is tried out first."""

import pytest
from action_story import acting, deleting, outcome_in
from pydantic import JsonValue

from tarsy_contracts import events as e
from tarsy_contracts.argument_templates import apply_template
from tarsy_contracts.chain import ApprovalRule, ResolvedServer
from tarsy_contracts.messages import inputs as i
from tarsy_contracts.messages.control import ClaimRefused
from tarsy_contracts.wire.ids import dry_run_id
from tarsy_session.conversations.conversation import build_conversation
from tarsy_session.effects import ToolCallEffect, effects_of
from tarsy_session.replies import replies_to
from tarsy_session.state import AtRest
from tarsy_testing.story.story import DELETE, READ, Story, types

SCHEMA = {"type": "object", "properties": {"namespace": {}, "dryRun": {}}}
TRIABLE = DELETE.model_copy(update={"definition": DELETE.definition.model_copy(update={"input_schema": SCHEMA})})
TEMPLATE = {"pods_delete": {"dryRun": "All"}}
ALLOWED = ResolvedServer(server="kubernetes", allow=("pods_delete",), dry_run=TEMPLATE)
GUARDED = ResolvedServer(server="kubernetes", approve=ApprovalRule(tools=("pods_delete",)), dry_run=TEMPLATE)


def trying(server: ResolvedServer = ALLOWED) -> tuple[Story, str, str]:
    """The story, the call, and its dry run."""
    story = deleting(acting(server, READ, TRIABLE), TRIABLE)
    call = next(iter(story.call_ids))
    return story, call, dry_run_id(call)


def owed(story: Story) -> list[str]:
    return [one.id for one in effects_of(story.state) if isinstance(one, ToolCallEffect)]


def test_a_call_its_wait_and_its_dry_run_come_together_so_that_nobody_can_make_it_unguarded() -> None:
    story = acting(GUARDED, READ, TRIABLE)
    events = story.when(story.answer("It hangs.", tools=(TRIABLE,)))
    assert types(events) == [
        "llm_call.completed", "tool_call.requested", "tool_call.requested", "tool_call.approval_requested"
    ]  # fmt: skip
    _, call, trial, asked = events
    assert isinstance(call, e.ToolCallRequested)
    assert isinstance(asked, e.ToolCallApprovalRequested)
    assert isinstance(trial, e.ToolCallRequested)
    assert asked.dry_run == trial.call_id == dry_run_id(call.call_id)
    assert (trial.dry_run_of, trial.read_only, trial.arguments) == (
        call.call_id, True, {"namespace": "shop", "dryRun": "All"}
    )  # fmt: skip
    assert owed(story) == [trial.call_id]


def test_nobody_runs_or_approves_a_call_before_its_dry_run_has_ended() -> None:
    story, call, trial = trying()
    assert owed(story) == [trial]
    claim = story.claim(call)
    assert story.when(claim) == []
    assert replies_to(story.state, claim) == [
        ClaimRefused(call_id=call, claim_id="claim-1", reason="the call waits for its dry run")
    ]
    story, call, trial = trying(GUARDED)
    (refused,) = story.when(story.decision(call))
    assert isinstance(refused, e.RequestRefused)
    assert refused.reason == "its dry run has not ended yet: look at what it says first"
    story.when(story.result(trial, "would be deleted"))
    story.when(story.decision(call))
    assert owed(story) == [call]


def test_after_its_dry_run_a_call_that_nobody_has_to_approve_is_owed_with_its_whole_time() -> None:
    story, call, trial = trying()
    before = story.investigating.calls[call].deadline
    story.when(story.result(trial, "would be deleted"))
    assert owed(story) == [call]
    assert story.investigating.calls[call].deadline > before


def test_the_agent_reads_the_call_and_not_its_dry_run() -> None:
    story, call, trial = trying()
    story.when(story.result(trial, "would be deleted"))
    story.when(story.claim(call))
    story.when(story.result(call, "deleted"))
    told = str(build_conversation(story.investigating, story.execution()))
    assert "deleted" in told
    assert "would be deleted" not in told
    outcome = outcome_in(story.when(story.answer("Done.")))
    assert (outcome.done, len(outcome.calls)) == (1, 1)


@pytest.mark.parametrize("server", [ALLOWED, GUARDED])
def test_a_call_whose_dry_run_failed_is_not_made_and_its_agent_reads_why(server: ResolvedServer) -> None:
    story, call, trial = trying(server)
    events = story.when(story.result(trial, "forbidden").model_copy(update={"outcome": "tool_error"}))
    (_, ended) = [one for one in events if isinstance(one, e.ToolCallCompleted)]
    assert (ended.call_id, ended.outcome, ended.held_by) == (call, "rejected", "dry_run")
    assert "forbidden" in ended.content
    decided = [one.outcome for one in events if isinstance(one, e.ToolCallApprovalDecided)]
    assert decided == (["cancelled"] if server is GUARDED else [])
    assert owed(story) == []
    assert outcome_in(story.when(story.answer("I could not."))).verdict == "blocked"


def test_a_call_that_was_denied_meanwhile_ends_its_dry_run() -> None:
    story, call, trial = trying(GUARDED)
    story.when(story.decision(call, "deny"))
    assert not story.investigating.calls[trial].open
    assert owed(story) == []


def test_a_session_that_is_cancelled_meanwhile_leaves_nothing_open() -> None:
    story, _, _ = trying(GUARDED)
    story.when(i.CancelRequested(request_id="stop", author="ann"))
    assert isinstance(story.state, AtRest)
    assert not [call for call in story.state.calls.values() if call.open]


def test_a_server_that_does_not_know_the_argument_would_do_the_real_thing_so_nothing_is_called() -> None:
    story = deleting(acting(ALLOWED))
    call = story.investigating.calls[story.call_ids[-1]]
    assert call.completed is not None
    assert call.completed.held_by == "dry_run"
    assert "the tool has no argument dryRun" in call.completed.content
    assert owed(story) == []


def test_a_tool_that_only_reads_needs_no_dry_run() -> None:
    server = ALLOWED.model_copy(update={"dry_run": {"pods_list": {"dryRun": "All"}}})
    story = acting(server)
    story.when(story.answer(tools=(READ,)))
    assert owed(story) == story.call_ids


@pytest.mark.parametrize(
    ("arguments", "template", "made"),
    [
        ({"pod": "a"}, {"dry_run": True}, {"pod": "a", "dry_run": True}),
        ({"args": ["delete"]}, {"args": ["--dry-run=server"]}, {"args": ["delete", "--dry-run=server"]}),
        ({"command": "delete"}, {"command": "{value} --dry-run=server"}, {"command": "delete --dry-run=server"}),
        ({}, {"args": ["--dry-run=server"]}, {"args": ["--dry-run=server"]}),
    ],
)
def test_a_template_sets_appends_or_wraps_an_argument(
    arguments: dict[str, JsonValue], template: dict[str, JsonValue], made: dict[str, JsonValue]
) -> None:
    assert apply_template(arguments, template) == made
