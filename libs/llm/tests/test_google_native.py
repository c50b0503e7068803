"""Gemini's own tools: who may use them, what is told of them, and what goes back."""

import json

import pytest
from gemini import MODEL, answer_of, asked, call, chunk, parts_of, request, streamed, text, thought
from pydantic import JsonValue
from wire import Reply

from tarsy_contracts.chain import NativeTool
from tarsy_contracts.conversation import AssistantMessage, ToolCall, ToolMessage, UserMessage
from tarsy_contracts.native_calls import NativeCall, TextCitation, WebSource
from tarsy_llm.google.native import MOST_CHARACTERS
from tarsy_llm.protocol import Answer, LlmRequest

HI = streamed(chunk(text("Hi"), finish="STOP"))
ALL: tuple[NativeTool, ...] = ("google_search", "url_context", "code_execution")
SEARCHED: JsonValue = {
    "toolCall": {"id": "s1", "toolType": "GOOGLE_SEARCH_WEB", "args": {"queries": ["exit code 137"]}},
    "thoughtSignature": "c2Vh",
}
FOUND: JsonValue = {
    "toolResponse": {
        "id": "s1",
        "toolType": "GOOGLE_SEARCH_WEB",
        "response": {"search_suggestions": "<div>exit code 137</div>"},
    }
}
CODE: JsonValue = {"executableCode": {"language": "PYTHON", "code": "print(128 + 9)"}}
OUTPUT: JsonValue = {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "137\n"}}
LOGS_CALLED = call("kubernetes__logs", {"pod": "a"}, "bG9n")


def wanting(asking: LlmRequest, native: tuple[NativeTool, ...] = ALL) -> LlmRequest:
    return asking.model_copy(update={"native_tools": native})


async def body_for(asking: LlmRequest, model: str = MODEL) -> dict[str, JsonValue]:
    async with asked(HI, model=model) as (llm, server):
        await answer_of(llm, asking)
    body = server.asked[0].json
    assert isinstance(body, dict)
    return body


def offered(body: dict[str, JsonValue]) -> set[str]:
    tools = body.get("tools", [])
    assert isinstance(tools, list)
    return {name for tool in tools if isinstance(tool, dict) for name in tool}


async def said_by(*chunks: JsonValue) -> Answer:
    async with asked(streamed(*chunks)) as (llm, _):
        return await answer_of(llm, wanting(request()))


def recorded(answer: Answer) -> AssistantMessage:
    calls = tuple(
        ToolCall(id=f"ours-{index}", name=each.name, arguments=each.arguments)
        for index, each in enumerate(answer.tool_calls)
    )
    return AssistantMessage(content=answer.text, tool_calls=calls, opaque=json.loads(json.dumps(answer.opaque)))


async def sent_back(answer: Answer, *, model: str = MODEL, native: tuple[NativeTool, ...] = ALL) -> JsonValue:
    done = ToolMessage(tool_call_id="ours-0", tool_name="kubernetes__logs", content="a log")
    asking = request(UserMessage(content="Why?"), recorded(answer), *([done] if answer.tool_calls else []))
    contents = (await body_for(wanting(asking, native), model))["contents"]
    assert isinstance(contents, list)
    assert isinstance(contents[1], dict)
    return camel(contents[1]["parts"])


def camel(value: JsonValue) -> JsonValue:
    """The SDK writes some keys in one way and some in the other, and Gemini reads both."""
    if isinstance(value, dict):
        return {key.replace("tool_type", "toolType"): camel(inner) for key, inner in value.items()}
    return [camel(inner) for inner in value] if isinstance(value, list) else value


@pytest.mark.parametrize("model", [MODEL, "models/gemini-3.5-flash", "gemini-flash-latest"])
async def test_a_model_that_combines_gets_its_own_tools_beside_ours(model: str) -> None:
    body = await body_for(wanting(request()), model)
    assert offered(body) == {"functionDeclarations", "googleSearch", "urlContext", "codeExecution"}
    assert body["toolConfig"] == {"includeServerSideToolInvocations": True}


@pytest.mark.parametrize("model", ["gemini-2.5-pro", "gemini-2.0-flash", "gemma-4-31b-it"])
async def test_a_model_that_takes_one_or_the_other_gets_ours(model: str) -> None:
    body = await body_for(wanting(request()), model)
    assert offered(body) == {"functionDeclarations"}
    assert body["toolConfig"] == {"functionCallingConfig": {"mode": "AUTO"}}


@pytest.mark.parametrize(
    ("model", "names"),
    [
        (MODEL, {"googleSearch", "urlContext", "codeExecution"}),
        ("gemini-2.5-flash", {"googleSearch", "urlContext", "codeExecution"}),
        ("gemini-2.0-flash", {"googleSearch", "codeExecution"}),
        ("gemini-1.5-pro", set()),
        ("gemma-4-31b-it", set()),
    ],
)
async def test_without_tools_of_ours_it_gets_those_that_it_has(model: str, names: set[str]) -> None:
    body = await body_for(wanting(request(tools=())), model)
    assert offered(body) == names
    assert "toolConfig" not in body


async def test_only_the_tools_that_are_wanted_are_offered() -> None:
    assert offered(await body_for(wanting(request(tools=()), ("url_context",)))) == {"urlContext"}


async def test_what_it_did_is_streamed_among_its_thoughts_and_recorded_beside_them() -> None:
    reply = streamed(
        chunk(thought("Exit code 137?")),
        chunk(SEARCHED),
        chunk(FOUND),
        chunk(CODE),
        chunk(OUTPUT),
        chunk(thought("Killed.")),
        chunk(text("It was killed."), finish="STOP"),
    )
    async with asked(reply) as (llm, _):
        deltas, answer = await parts_of(llm, wanting(request()))
    assert answer.thinking == "Exit code 137?Killed."
    assert "".join(delta.text for delta in deltas if delta.part == "thinking") == (
        "Exit code 137?\n"
        '[google_search_web: {"queries": ["exit code 137"]}]\n'
        "[ran this code]\nprint(128 + 9)\n"
        "[its output, ok]\n137\n\n"
        "Killed."
    )
    code = NativeCall(tool="code_execution", code="print(128 + 9)", language="PYTHON", output="137\n", outcome="ok")
    assert answer.native_calls == (code, NativeCall(tool="google_search", queries=("exit code 137",)))
    assert [delta.native_call for delta in deltas if delta.native_call is not None][-1] == code
    assert answer.text == "It was killed."


def grounded(words: str, metadata: dict[str, JsonValue], *, finish: str | None = None) -> JsonValue:
    said = chunk(text(words), finish=finish)
    assert isinstance(said, dict)
    assert isinstance(said["candidates"], list)
    assert isinstance(said["candidates"][0], dict)
    said["candidates"][0] |= metadata
    return said


PAGE = WebSource(url="https://redirect.example/1", title="kubernetes.io")


async def test_what_it_looked_for_found_and_read_is_recorded_once() -> None:
    metadata: dict[str, JsonValue] = {
        "groundingMetadata": {
            "webSearchQueries": ["exit code 137"],
            "groundingChunks": [{"web": {"uri": PAGE.url, "title": PAGE.title}}, {}],
        },
        "urlContextMetadata": {
            "urlMetadata": [
                {"retrievedUrl": "https://a.example", "urlRetrievalStatus": "URL_RETRIEVAL_STATUS_SUCCESS"},
                {"retrievedUrl": "https://b.example", "urlRetrievalStatus": "URL_RETRIEVAL_STATUS_ERROR"},
            ]
        },
    }
    answer = await said_by(grounded("It was ", metadata), grounded("killed.", metadata, finish="STOP"))
    assert answer.native_calls == (
        NativeCall(tool="google_search", queries=("exit code 137",), sources=(PAGE,)),
        NativeCall(
            tool="url_context",
            queries=("https://a.example", "https://b.example"),
            sources=(WebSource(url="https://a.example"),),
            outcome="error",
        ),
    )


@pytest.mark.parametrize(
    ("model", "queries", "searches"),
    [
        ("gemini-3.7-pro", ["exit code 137", "oom"], 2),
        ("gemini-10-pro", ["exit code 137", "oom"], 2),
        ("gemini-2.5-pro", ["exit code 137", "oom"], 1),
        ("gemini-3.7-pro", ["oom", "oom"], 1),
        ("gemini-3.7-pro", [], None),
    ],
)
async def test_its_searches_are_counted_as_google_bills_them(
    model: str, queries: list[JsonValue], searches: int | None
) -> None:
    said = grounded("killed.", {"groundingMetadata": {"webSearchQueries": queries}}, finish="STOP")
    assert isinstance(said, dict)
    answer = await said_by(said | {"modelVersion": model})
    assert answer.usage.web_searches == searches


@pytest.mark.parametrize(
    ("support", "at"),
    [
        ({"segment": {"startIndex": 0, "endIndex": 15, "text": "Es hieß: OOM."}, "groundingChunkIndices": [0]}, 13),
        ({"segment": {"endIndex": 3, "text": "Es hieß: OOM."}, "groundingChunkIndices": [0]}, 13),
        ({"segment": {"endIndex": 14, "text": "nowhere"}, "groundingChunkIndices": [0]}, None),
        ({"segment": {"endIndex": 900}, "groundingChunkIndices": [0]}, None),
        ({"segment": {"text": "Es hieß: OOM."}, "groundingChunkIndices": [7, -1]}, None),
        ({"groundingChunkIndices": [0]}, None),
    ],
    ids=["bytes", "by its words", "other words", "beyond the end", "no such page", "no segment"],
)
async def test_a_citation_stands_behind_its_words_or_nowhere(support: JsonValue, at: int | None) -> None:
    metadata: dict[str, JsonValue] = {
        "groundingMetadata": {
            "groundingChunks": [{"web": {"uri": PAGE.url, "title": PAGE.title}}],
            "groundingSupports": [support],
        }
    }
    answer = await said_by(chunk(text("Es hieß: ")), grounded("OOM. Ja.", metadata, finish="STOP"))
    assert answer.citations == (() if at is None else (TextCitation(at=at, sources=(PAGE.url,)),))


async def test_what_it_returned_is_recorded() -> None:
    returned: JsonValue = {"toolResponse": {"id": "u", "toolType": "URL_CONTEXT", "response": {"result": "a page"}}}
    answer = await said_by(chunk(returned), chunk(text("Hi"), finish="STOP"))
    assert answer.native_calls == (NativeCall(tool="url_context", output='{"result": "a page"}'),)


async def test_a_picture_that_its_code_made_is_told_and_not_kept() -> None:
    picture: JsonValue = {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}}
    answer = await said_by(chunk(picture), chunk(text("Hi"), finish="STOP"))
    (call,) = answer.native_calls
    assert (call.output, answer.opaque) == ("[made a file, image/png, that is not kept]", None)


async def test_what_is_streamed_has_a_bound() -> None:
    codes = [chunk({"executableCode": {"code": f"{number}" + "x" * 9_000}}) for number in range(9)]
    async with asked(streamed(*codes, chunk(text("Hi"), finish="STOP"))) as (llm, _):
        deltas, _answer = await parts_of(llm, wanting(request()))
    told = "".join(delta.text for delta in deltas if delta.part == "thinking")
    assert len(told) < MOST_CHARACTERS + 500
    assert "[5017 characters left out]" in told
    assert told.count("[more that the model did by itself is left out]") == 1


@pytest.mark.parametrize(("model", "left_out"), [("gemini-2.5-pro", ALL), (MODEL, ())])
async def test_tools_that_a_model_does_not_get_are_named(model: str, left_out: tuple[NativeTool, ...]) -> None:
    async with asked(HI, model=model) as (llm, _):
        answer = await answer_of(llm, wanting(request()))
    assert answer.native_left_out == left_out


async def test_what_its_tools_did_goes_back_whole_in_its_place() -> None:
    answer = await said_by(chunk(SEARCHED), chunk(FOUND), chunk(CODE, OUTPUT), chunk(LOGS_CALLED, finish="STOP"))
    parts = await sent_back(answer)
    assert isinstance(parts, list)
    assert parts[0] == SEARCHED
    assert parts[1] == FOUND
    assert parts[2:4] == [CODE, OUTPUT]
    assert isinstance(parts[4], dict)
    assert parts[4]["thoughtSignature"] == "bG9n"


@pytest.mark.parametrize(("model", "native"), [("gemini-2.5-pro", ALL), (MODEL, ())])
async def test_it_does_not_go_to_who_may_not_use_such_tools(model: str, native: tuple[NativeTool, ...]) -> None:
    answer = await said_by(chunk(SEARCHED), chunk(FOUND), chunk(LOGS_CALLED, finish="STOP"))
    parts = await sent_back(answer, model=model, native=native)
    assert isinstance(parts, list)
    assert [list(part) for part in parts if isinstance(part, dict)] == [["functionCall", "thoughtSignature"]]


@pytest.mark.parametrize(
    "much",
    [{"toolResponse": {"toolType": "GOOGLE_SEARCH_WEB", "response": {"search_suggestions": "x" * 70_000}}}],
)
async def test_what_is_too_large_does_not_go_back(much: JsonValue) -> None:
    answer = await said_by(chunk(SEARCHED), chunk(much), chunk(LOGS_CALLED, finish="STOP"))
    parts = await sent_back(answer)
    assert isinstance(parts, list)
    assert len(parts) == 1
    assert len(json.dumps(answer.opaque)) < 1_000


async def test_tokens_that_its_tools_read_are_input() -> None:
    counted: JsonValue = {"promptTokenCount": 100, "toolUsePromptTokenCount": 40, "candidatesTokenCount": 5}
    answer = await said_by(chunk(text("Hi"), finish="STOP", usageMetadata=counted))
    assert (answer.usage.input_tokens, answer.usage.output_tokens) == (140, 5)


async def test_other_providers_do_not_hear_of_what_they_do_not_have() -> None:
    from asking import asked as asked_others
    from claude import HI as CLAUDES
    from completions import HI as OPENAIS

    from tarsy_llm.anthropic.adapter import AnthropicLlm
    from tarsy_llm.openai.adapter import OpenAiLlm

    bodies: list[Reply] = [OPENAIS, CLAUDES]
    for adapter, reply in zip((OpenAiLlm, AnthropicLlm), bodies, strict=True):
        async with asked_others(adapter, reply) as (llm, server):
            await answer_of(llm, wanting(request(tools=()), ("url_context", "code_execution")))
        assert b"search" not in server.asked[0].body
        assert b"native" not in server.asked[0].body
