"""The outcome of stages that act, over HTTP: in lists, details, and beside the calls that wait for a person."""

from projected_world import NewSession, World, records

from tarsy_contracts import events as e
from tarsy_contracts.actions import ActionCall, ActionOutcome
from tarsy_contracts.wire.ids import dry_run_id, stage_id
from tarsy_testing.story.whole_chain import begun

DONE = ActionOutcome(
    verdict="acted",
    done=1,
    calls=(ActionCall(call_id="c", server="k8s", tool="pods_delete", result="done", approved_by="ann"),),
    helped="yes",
    verified_by="v",
)


def acts(session: str, index: int, outcome: ActionOutcome | None) -> list[e.Event]:
    """A stage that acts; None while it does."""
    id = stage_id(session, index)
    started = e.StageStarted(stage_id=id, index=index, name="act", stage_type="action")
    ended = e.StageCompleted(stage_id=id, index=index, name="act", status="completed", action=outcome)
    return [started] if outcome is None else [started, ended]


async def test_lists_and_details_have_the_weightiest_verdict_and_whether_something_was_changed(
    world: World, new_session: NewSession
) -> None:
    acted, running, plain = new_session(), new_session(), new_session()
    blocked = ActionOutcome(verdict="blocked", denied=1)
    acted.add(begun(), *acts(acted.id, 1, blocked), *acts(acted.id, 2, DONE))
    running.add(begun(), *acts(running.id, 1, None))
    plain.add(begun())
    await world.project(*records(acted), *records(running), *records(plain))

    names = ("has_action_stages", "action_verdict", "actions_executed")
    expected = {acted.id: [True, "acted", True], running.id: [True, None, None], plain.id: [False, None, None]}
    listed = {row["id"]: [row[name] for name in names] for row in (await world.get("/api/v1/sessions"))["sessions"]}
    assert listed == expected
    for session in (acted, running, plain):
        detail = await world.detail(session)
        assert [detail[name] for name in names] == expected[session.id]
    stages = (await world.detail(acted))["stages"]
    assert [(one["action"]["verdict"], one["actions_executed"]) for one in stages] == [
        ("blocked", False), ("acted", True)
    ]  # fmt: skip
    assert ActionOutcome.model_validate(stages[1]["action"]) == DONE


async def test_a_call_that_waits_stands_with_what_its_dry_run_said(world: World, new_session: NewSession) -> None:
    session = new_session()
    call, trial = f"call-{session.id}", dry_run_id(f"call-{session.id}")
    waits = e.ToolCallApprovalRequested(
        call_id=call, execution_id="", server="k8s", tool="apply", arguments={}, reason="", role="responder",
        timeout_seconds=600, on_timeout="deny", dry_run=trial,
    )  # fmt: skip
    tries = e.ToolCallRequested(
        call_id=trial, execution_id="", llm_call_id="", server="k8s", tool="apply", arguments={"dryRun": "All"},
        repeatable=True, timeout_seconds=60, read_only=True, dry_run_of=call,
    )  # fmt: skip
    session.add(begun(), tries, waits)
    await world.project(*records(session))
    (listed,) = (await world.get("/api/v1/approvals"))["approvals"]
    assert (listed["dry_run"], listed["dry_run_status"]) == ("", "streaming")
    session.add(e.ToolCallCompleted(call_id=trial, outcome="ok", content="would be configured"))
    await world.project(*records(session)[-1:])
    (listed,) = (await world.get("/api/v1/approvals"))["approvals"]
    assert (listed["dry_run"], listed["dry_run_status"]) == ("would be configured", "completed")
