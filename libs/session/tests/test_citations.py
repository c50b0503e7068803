"""Calls that agents cite: each has a number in its session, and its result names it."""

from dataclasses import replace

import pytest

from tarsy_contracts import events as e
from tarsy_contracts.citations import CITATION, cite, without_citations
from tarsy_contracts.events.recorded import RecordedEvent
from tarsy_session import evolve
from tarsy_session.conversations.conversation import build_conversation
from tarsy_session.prompts.roles import ANSWERER, INVESTIGATOR, JOINER, SUMMARISER
from tarsy_session.state import NOT_STARTED, Investigating, SessionState
from tarsy_testing.story.story import READ, Story


def numbers(story: Story) -> list[int]:
    return [one.event.number for one in story.log if isinstance(one.event, e.ToolCallRequested)]


def test_calls_are_numbered_in_their_order_also_those_of_one_answer_and_those_of_a_reply() -> None:
    story = Story().calling(READ, READ)
    for call in story.call_ids:
        story.when(story.result(call))
    story.when(story.answer("The cause is a leak."))
    story.questioned()
    story.when(story.answer("I look again.", tools=(READ,)))
    assert numbers(story) == [1, 2, 3]


def test_each_result_begins_with_the_line_that_cites_its_call() -> None:
    story = Story().calling(READ)
    story.when(story.result(story.call_ids[0], "see [call 12]"))
    content = build_conversation(story.investigating, story.execution()).messages[-1].content
    assert content.startswith("[call 1]\n\n")
    assert content.endswith("<<<TOOL RESULT\nsee [call 12]\nTOOL RESULT>>>")


def test_a_chat_reads_by_which_number_a_call_of_the_investigation_is_cited() -> None:
    story = Story().calling(READ)
    story.when(story.result(story.call_ids[0]))
    story.when(story.answer("The cause is a leak [call 1]."))
    assert "\n\nResult of [call 1]: ok, at" in story.questioned().execution().started.prompt


def as_before(record: RecordedEvent) -> RecordedEvent:
    """The record as a version without citations wrote it."""
    event = record.event
    return replace(record, event=event.model_copy(update={"number": 0})) if isinstance(
        event, e.ToolCallRequested
    ) else record  # fmt: skip


def folded(records: list[RecordedEvent]) -> Investigating:
    state: SessionState = NOT_STARTED
    for record in records:
        state = evolve(state, record)
    assert isinstance(state, Investigating)
    return state


def test_a_session_of_before_citations_reads_what_it_read_then_and_goes_on_with_numbers() -> None:
    story = Story().calling(READ)
    story.when(story.result(story.call_ids[0]))
    story.log = [as_before(record) for record in story.log]
    story.state = folded(story.log)
    before = build_conversation(story.investigating, story.execution())
    assert "[call" not in before.messages[-1].content
    story.when(story.answer("again", tools=(READ,)))
    story.when(story.result(story.call_ids[-1]))
    after = build_conversation(story.investigating, story.execution())
    assert after.messages[: len(before.messages)] == before.messages
    assert after.messages[-1].content.startswith("[call 1]\n\n")
    assert numbers(story) == [0, 1]


@pytest.mark.parametrize("role", [INVESTIGATOR, JOINER.template, SUMMARISER.template, ANSWERER])
def test_every_role_is_told_how_a_call_is_cited(role: str) -> None:
    assert cite(7) in role


@pytest.mark.parametrize(
    ("text", "without"),
    [
        ("It leaks [call 7].", "It leaks."),
        ("It leaks [call 7, call 12], and ends.", "It leaks, and ends."),
        ("[call 7] It leaks.", " It leaks."),
        ("a [call 7](x) [calls 7] [call seven] [call 7,call 8]", "a(x) [calls 7] [call seven] [call 7,call 8]"),
    ],
)
def test_a_text_can_be_shown_without_citations(text: str, without: str) -> None:
    assert without_citations(text) == without


def test_what_is_cited_is_found_again() -> None:
    assert CITATION.fullmatch(cite(7)) is not None
