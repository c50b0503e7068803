"""An investigation that has ended, and an agent that may act."""

from tarsy_contracts import events as e
from tarsy_contracts.actions import ActionOutcome, VerificationRule
from tarsy_contracts.chain import ApprovalRule, ResolvedServer
from tarsy_testing.story.story import ALERT, DELETE, Story, agent, chain, stage

ALLOWED = ResolvedServer(server="kubernetes", allow=("pods_delete",))
GUARDED = ResolvedServer(server="kubernetes", approve=ApprovalRule(tools=("pods_delete",)))


def acting(
    server: ResolvedServer = ALLOWED,
    *tools: e.OfferedTool,
    action: str = "act",
    verify: VerificationRule | None = None,
    per_hour: int = 0,
    composed: bool = False,
    executive_summary: bool = False,
    data: str = ALERT.data,
) -> Story:
    """The agent that may act is asked, with these tools or the usual ones."""
    actor = agent("Remediator", server=server).model_copy(update={"action": action})
    plan = chain(stage(agent("Looker"), name="look"), stage(actor, name="act"), executive_summary=executive_summary)
    composer = agent("ComposeAgent", controller="single_shot") if composed else None
    facts = {"verify": verify, "actions_per_hour": per_hour, "compose": composer}
    alert = ALERT.model_copy(update={"data": data})
    story = Story(plan=plan.model_copy(update=facts), alert=alert).asking()
    story.when(story.answer("It hangs: delete api-7."))
    story.offered(*tools)
    return story


def deleting(story: Story, tool: e.OfferedTool = DELETE) -> Story:
    story.when(story.answer("It hangs.", tools=(tool,)))
    return story


def run_last_call(story: Story, *, outcome: str = "ok") -> list[e.Event]:
    """The last call was granted, and has ended so."""
    call = story.call_ids[-1]
    story.when(story.claim(call))
    return story.when(story.result(call).model_copy(update={"outcome": outcome}))


def outcome_in(events: list[e.Event]) -> ActionOutcome:
    """Returns the outcome of the stage that ended among these events."""
    (completed,) = [one for one in events if isinstance(one, e.StageCompleted)]
    assert completed.action is not None
    return completed.action
