"""Sources: web pages that models found have numbers of the session, and texts cite them."""

import pytest

from tarsy_contracts import events as e
from tarsy_contracts.citations import list_cited_calls, list_cited_sources, without_citations
from tarsy_contracts.messages import inputs as i
from tarsy_contracts.native_calls import (
    MOST_CALLS,
    MOST_SOURCES,
    NativeCall,
    TextCitation,
    WebSource,
    bound_native_calls,
)
from tarsy_session.conversations.conversation import build_conversation
from tarsy_session.conversations.model_request import compose_request
from tarsy_session.state import AtRest
from tarsy_session.state.sources import MOST_NUMBERED, mark_citations
from tarsy_testing.story.story import READ, Story, agent, chain, stage

A, B, C = (f"https://{name}.example/" for name in "abc")


def search(*urls: str) -> NativeCall:
    return NativeCall(tool="google_search", queries=("why",), sources=tuple(WebSource(url=url) for url in urls))


def answered(story: Story, text: str, *calls: NativeCall, citing: tuple[TextCitation, ...] = ()) -> i.LlmCallReported:
    return story.answer(text).model_copy(update={"native_calls": calls, "citations": citing})


def last[T: e.Event](story: Story, kind: type[T]) -> T:
    return [one.event for one in story.log if isinstance(one.event, kind)][-1]


def test_a_page_keeps_its_number_over_the_session() -> None:
    story = Story().asking()
    story.when(
        story.answer("I look.", tools=(READ,)).model_copy(
            update={"native_calls": (search(A, B),), "citations": (TextCitation(at=6, sources=(B,)),)}
        )
    )
    first = last(story, e.LlmCallCompleted)
    assert first.text == "I look [source 2]."
    assert [source.number for source in first.native_calls[0].sources] == [1, 2]
    story.when(story.result(story.call_ids[0], "ok"))
    assert (
        "[source 2] https://b.example/"
        in build_conversation(story.investigating, story.execution()).messages[-1].content
    )
    story.when(answered(story, "It leaks.", search(C, B), citing=(TextCitation(at=8, sources=(C, B, "x")),)))
    completed = last(story, e.SessionCompleted)
    assert completed.final_analysis == "It leaks [source 2, source 3]."
    assert [(one.number, one.url) for one in completed.sources] == [(2, B), (3, C)]


def test_a_failed_answer_keeps_what_it_found() -> None:
    story = Story().asking()
    failed = answered(story, "", search(A)).model_copy(update={"error": "cut", "kind": "cut_off", "retryable": True})
    story.when(failed)
    assert last(story, e.LlmCallFailed).native_calls[0].sources[0].number == 1
    assert story.investigating.sources[0].url == A


@pytest.mark.parametrize(
    ("text", "at", "marked"),
    [
        ("It leaks.", 8, "It leaks [source 1]."),
        ("It leaks.", 5, "It leaks [source 1]."),
        ("It leaks. \n\nSo.", 11, "It leaks. [source 1] \n\nSo."),
        ("It leaks.", 99, "It leaks. [source 1]"),
        ("", 0, " [source 1]"),
    ],
)
def test_a_mark_stands_behind_a_word(text: str, at: int, marked: str) -> None:
    assert mark_citations(text, [TextCitation(at=at, sources=(A, A))], {A: 1}) == marked


def test_a_citation_of_nothing_leaves_no_mark() -> None:
    assert mark_citations("It leaks.", [TextCitation(at=3, sources=("https://gone.example",))], {A: 1}) == "It leaks."


def test_a_thousand_sources_are_bounded() -> None:
    (call,) = bound_native_calls([search(*(f"https://a.example/{number}" for number in range(1_000)))])
    assert (len(call.sources), call.sources_left_out) == (MOST_SOURCES, 1_000 - MOST_SOURCES)


def test_later_pages_of_a_session_have_no_number() -> None:
    story = Story().asking()
    urls = [f"https://a.example/{number}" for number in range(MOST_NUMBERED + 5)]
    story.when(answered(story, "x", search(*urls), citing=(TextCitation(at=1, sources=(urls[-1],)),)))
    assert isinstance(story.state, AtRest)
    assert len(story.state.sources) == MOST_NUMBERED
    assert last(story, e.LlmCallCompleted).text == "x"


def test_many_calls_of_a_tool_are_joined_and_none_is_lost() -> None:
    calls = bound_native_calls([search(f"https://{number}.example/") for number in range(20)])
    assert len(calls) == MOST_CALLS
    assert sum(len(call.sources) for call in calls) == 20


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "data:text/html,x", "https://a b", "ftp://a.example", "x" * 3_000]
)
def test_what_is_no_address_of_the_web_is_none(url: str) -> None:
    source = WebSource(url=url, title="A\n\u202epage " + "x" * 900)
    (call,) = bound_native_calls([NativeCall(tool="google_search", sources=(source,))])
    assert (call.sources[0].url, call.sources[0].title[:6], len(call.sources[0].title)) == ("", "A page", 200)


def test_calls_and_sources_are_told_apart() -> None:
    text = "It leaks [call 2, source 3]. So [source 7]."
    assert (list(list_cited_calls(text)), list(list_cited_sources(text))) == ([2], [3, 7])
    assert without_citations(text) == "It leaks. So."


def test_tools_that_a_model_does_not_get_are_told_once() -> None:
    story = Story().asking()
    left_out = {"native_tools_left_out": ("google_search",)}
    story.when(story.answer("I look.", tools=(READ,)).model_copy(update=left_out))
    assert last(story, e.LlmCallCompleted).native_tools_left_out == ("google_search",)
    story.when(story.result(story.call_ids[0], "ok"))
    story.when(story.answer("It leaks.").model_copy(update=left_out))
    assert last(story, e.LlmCallCompleted).native_tools_left_out == ()


def test_a_fallback_is_asked_for_the_tools_that_the_first_provider_lacks() -> None:
    tools = {"native_tools": ("google_search",), "lacking_native_tools": ("url_context",)}
    story = Story(plan=chain(stage(agent().model_copy(update=tools)))).asking()
    assert compose_request(story.investigating, story.execution()).native_tools == ("google_search", "url_context")
