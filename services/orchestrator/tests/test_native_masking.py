"""What a model did with tools of its provider is bounded and masked before it is appended."""

import pytest
from pydantic import JsonValue

from tarsy_contracts.conversation import Usage
from tarsy_contracts.native_calls import MOST_SOURCES, NativeCall, TextCitation, WebSource
from tarsy_llm.protocol import Answer
from tarsy_masking.masker import Masker
from tarsy_orchestrator.effects.llm_answer import MaskedAnswer, mask_answer

SECRET = "password=hunter2-Tr0ub4dor"
PAGE = "https://a.example/page"


@pytest.fixture(scope="module")
def masker() -> Masker:
    return Masker.default(b"k" * 32).for_session("s")


def masked(masker: Masker, text: str = "", opaque: JsonValue = None, **found: object) -> MaskedAnswer:
    answer = Answer(thinking="", text=text, tool_calls=(), usage=Usage(), model="m", opaque=opaque)
    return mask_answer(answer.model_copy(update=found), masker, llm_call_id="c", offered=())


def test_no_secret_of_a_native_call_is_kept(masker: Masker) -> None:
    call = NativeCall(
        tool="code_execution",
        queries=(SECRET,),
        sources=(WebSource(url="https://u:hunter2-Tr0ub4dor@a.example/", title=SECRET),),
        code=SECRET,
        output=SECRET,
        outcome=SECRET,
    )
    assert "hunter2" not in str(masked(masker, native_calls=(call,)).native_calls)


def test_a_thousand_pages_become_a_bounded_record(masker: Masker) -> None:
    pages = tuple(WebSource(url=f"{PAGE}/{number}", title="x" * 5_000) for number in range(1_000))
    (call,) = masked(masker, native_calls=(NativeCall(tool="google_search", sources=pages),)).native_calls
    assert (len(call.sources), call.sources_left_out) == (MOST_SOURCES, 1_000 - MOST_SOURCES)
    assert len(call.model_dump_json()) < 64 * 1024


def test_places_of_citations_stay_where_nothing_was_masked(masker: Masker) -> None:
    text = f"It uses {SECRET}, as written.\nIt leaks. More."
    places = (text.index(","), text.index(" More"))
    found = masked(masker, text, citations=tuple(TextCitation(at=at, sources=(PAGE,)) for at in places))
    assert "hunter2" not in found.text
    first, second = found.citations
    assert found.text[: first.at].endswith("as written.")
    assert found.text[: second.at].endswith("It leaks.")


@pytest.mark.parametrize("place", ["data", "output", "thinking"])
def test_parts_of_native_tools_go_back_only_without_a_secret(masker: Masker, place: str) -> None:
    parts: JsonValue = {
        "provider": "google",
        "parts": [{"kind": "native", "native": {"tool_response": {place: SECRET}}}],
    }
    harmless: JsonValue = {
        "provider": "google",
        "parts": [{"kind": "native", "native": {"tool_response": {place: "ok"}}}],
    }
    assert masked(masker, opaque=parts).opaque is None
    assert masked(masker, opaque=harmless).opaque == harmless
