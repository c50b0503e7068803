"""Given a chain that acts, when its last action has ended, then one report says what was found and what was done."""

from datetime import timedelta

from action_story import acting, deleting, run_last_call

from tarsy_contracts import events as e
from tarsy_contracts.messages import inputs as i
from tarsy_session.state import AtRest
from tarsy_testing.story.story import ALERT, SESSION, Story, agent, chain, stage, types


def acted(*, executive_summary: bool = False) -> Story:
    """The agent that acts has said its last word."""
    story = deleting(acting(composed=True, executive_summary=executive_summary))
    run_last_call(story)
    story.when(story.answer("I deleted api-7."))
    return story


def ending(story: Story) -> e.SessionCompleted:
    assert isinstance(story.state, AtRest)
    assert isinstance(story.state.ended, e.SessionCompleted)
    return story.state.ended


def test_the_report_is_a_stage_of_its_own_that_reads_what_was_found_and_what_was_counted() -> None:
    story = acted()
    begun = story.investigating.stages[-1].started
    assert (begun.name, begun.stage_type, begun.chain_stage) == ("act - Amended Report", "compose", 1)
    assert begun.referenced_stage_id == story.investigating.stages[-2].started.stage_id
    prompt = story.execution("ComposeAgent").started.prompt
    for part in ("It hangs: delete api-7.", "I deleted api-7.", "- acted: 1 done", "kubernetes.pods_delete: done"):
        assert part in prompt


def test_the_report_is_the_analysis_of_the_session_and_its_summary_is_made_of_it() -> None:
    story = acted(executive_summary=True)
    story.when(story.answer("It hung, and was deleted."))
    assert "It hung, and was deleted." in story.execution("ExecSummaryAgent").started.prompt
    story.when(story.answer("Over."))
    assert (ending(story).final_analysis, ending(story).executive_summary) == ("It hung, and was deleted.", "Over.")


def test_without_the_report_both_texts_stand_one_behind_the_other() -> None:
    story = acted()
    events = story.when(story.answer(error="no key", kind="credentials"))
    assert types(events)[-1] == "session.completed"
    assert ending(story).final_analysis == "It hangs: delete api-7.\n\n## What was done\n\nI deleted api-7."


def test_a_session_whose_time_is_up_while_the_report_is_written_keeps_both_texts() -> None:
    story = acted()
    story.now += timedelta(hours=2)
    story.when(i.DeadlinePassed(call_id=SESSION))
    assert ending(story).final_analysis.startswith("It hangs: delete api-7.")


def test_of_several_stages_that_act_only_the_last_one_is_followed_by_the_report() -> None:
    actor = agent("Remediator").model_copy(update={"action": "act"})
    composer = agent("ComposeAgent", controller="single_shot")
    stages = (stage(actor, name="first"), stage(actor, name="second"), stage(agent("Looker"), name="look"))
    story = Story(plan=chain(*stages).model_copy(update={"compose": composer}), alert=ALERT).asking()
    for words in ("one", "two", "report", "three"):
        story.when(story.answer(words))
        if isinstance(story.state, AtRest):
            break
        if not story.investigating.stages[-1].executions:
            story.offered()
    assert isinstance(story.state, AtRest)
    names = [one.started.name for one in story.state.stages]
    assert names == ["first", "second", "second - Amended Report", "look"]


def test_a_chain_without_an_action_has_no_report() -> None:
    composer = agent("ComposeAgent", controller="single_shot")
    story = Story(plan=chain().model_copy(update={"compose": composer})).asking()
    story.when(story.answer("Nothing."))
    assert isinstance(story.state, AtRest)
