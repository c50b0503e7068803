"""What Gemini said goes back to it unchanged but for what was masked, and what others said in a form that it takes."""

import base64
import json

import pytest
from gemini import MODEL, answer_of, asked, call, chunk, request, streamed, text, thought
from pydantic import JsonValue
from wire import Reply

from tarsy_contracts.conversation import (
    AssistantMessage,
    Conversation,
    ConversationMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from tarsy_llm.protocol import Answer

SIGNED = base64.b64encode(bytes(range(240, 256))).decode()
SIGNED_TOO = base64.b64encode(b"another signature").decode()
FOREIGN = base64.b64encode(b"skip_thought_signature_validator").decode()
QUESTION = UserMessage(content="Why does the pod crash?")
DONE = streamed(chunk(text("Done."), finish="STOP"))


def recorded(answer: Answer, *, content: str | None = None, masked: str | None = None) -> AssistantMessage:
    """As the log keeps it: the words masked, our ids, opaque as JSON."""
    return AssistantMessage(
        content=answer.text if content is None else content,
        tool_calls=tuple(
            ToolCall(
                id=f"ours-{index}",
                name=asked.name,
                arguments=asked.arguments if masked is None else dict.fromkeys(asked.arguments, masked),
            )
            for index, asked in enumerate(answer.tool_calls)
        ),
        opaque=json.loads(json.dumps(answer.opaque)),
    )


def result(index: int, content: str, *, is_error: bool = False) -> ToolMessage:
    return ToolMessage(tool_call_id=f"ours-{index}", tool_name="kubernetes__logs", content=content, is_error=is_error)


async def said_by(*chunks: JsonValue) -> Answer:
    async with asked(streamed(*chunks)) as (llm, _):
        return await answer_of(llm, request())


async def sent_for(*messages: ConversationMessage, model: str = MODEL) -> list[JsonValue]:
    async with asked(DONE, model=model) as (llm, server):
        await answer_of(llm, request(*messages))
    body = server.asked[0].json
    assert isinstance(body, dict)
    assert isinstance(body["contents"], list)
    return [_standard(content) for content in body["contents"]]


async def model_parts(message: AssistantMessage, model: str = MODEL) -> JsonValue:
    contents = await sent_for(QUESTION, message, model=model)
    assert isinstance(contents[1], dict)
    assert contents[1]["role"] == "model"
    return contents[1]["parts"]


def _standard(value: JsonValue) -> JsonValue:
    """Signatures in one of the two alphabets of base64: JSON's bytes may come in either."""
    if isinstance(value, list):
        return [_standard(item) for item in value]
    if isinstance(value, dict):
        return {
            key: item.replace("-", "+").replace("_", "/")
            if key == "thoughtSignature" and isinstance(item, str)
            else _standard(item)
            for key, item in value.items()
        }
    return value


async def test_calls_go_back_with_the_signature_where_it_was_and_their_own_ids() -> None:
    answer = await said_by(
        chunk(thought("Which pod?")),
        chunk(text("I ")),
        chunk(text("look.")),
        chunk(
            call("kubernetes__logs", {"pod": "a"}, SIGNED, "g-1"), call("kubernetes__logs", {"pod": "b"}, None, "g-2")
        ),
        chunk(text("", SIGNED_TOO), finish="STOP"),
    )
    contents = await sent_for(
        QUESTION, recorded(answer), result(0, "OOMKilled"), result(1, "no such pod", is_error=True)
    )
    assert contents[1] == {
        "role": "model",
        "parts": [
            {"text": "I look."},
            {
                "functionCall": {"id": "g-1", "name": "kubernetes__logs", "args": {"pod": "a"}},
                "thoughtSignature": SIGNED,
            },
            {"functionCall": {"id": "g-2", "name": "kubernetes__logs", "args": {"pod": "b"}}},
            {"text": "", "thoughtSignature": SIGNED_TOO},
        ],
    }
    assert contents[2:] == [
        {
            "role": "user",
            "parts": [
                {"functionResponse": {"id": "g-1", "name": "kubernetes__logs", "response": {"result": "OOMKilled"}}},
                {"functionResponse": {"id": "g-2", "name": "kubernetes__logs", "response": {"error": "no such pod"}}},
            ],
        }
    ]


async def test_masked_words_go_back_and_the_opaque_part_holds_no_words() -> None:
    answer = await said_by(
        chunk(thought("The password is hunter2")),
        chunk(text("It is hunter2.", SIGNED_TOO)),
        chunk(call("kubernetes__logs", {"pod": "hunter2"}, SIGNED), finish="STOP"),
    )
    assert "hunter2" not in json.dumps(answer.opaque)
    assert await model_parts(recorded(answer, content="It is [masked].", masked="[masked]")) == [
        {"text": "It is [masked].", "thoughtSignature": SIGNED_TOO},
        {"functionCall": {"name": "kubernetes__logs", "args": {"pod": "[masked]"}}, "thoughtSignature": SIGNED},
    ]


async def test_a_call_without_an_id_goes_back_without_one_and_so_does_its_result() -> None:
    answer = await said_by(chunk(call("kubernetes__logs", {}, SIGNED), finish="STOP"))
    contents = await sent_for(QUESTION, recorded(answer), result(0, "fine"))
    assert contents[2] == {
        "role": "user",
        "parts": [{"functionResponse": {"name": "kubernetes__logs", "response": {"result": "fine"}}}],
    }


@pytest.mark.parametrize(
    ("said", "sent"),
    [
        ([text("One "), text("two.", SIGNED)], [{"text": "One two.", "thoughtSignature": SIGNED}]),
        ([text("One two."), text("", SIGNED)], [{"text": "One two."}, {"text": "", "thoughtSignature": SIGNED}]),
        ([text("", SIGNED), text("One two.")], [{"text": "", "thoughtSignature": SIGNED}, {"text": "One two."}]),
        (
            [text("One ", SIGNED), text("two.", SIGNED_TOO)],
            [{"text": "One two.", "thoughtSignature": SIGNED}, {"text": "", "thoughtSignature": SIGNED_TOO}],
        ),
        (
            [thought("Hm.", SIGNED), text("One two.")],
            [{"text": "", "thought": True, "thoughtSignature": SIGNED}, {"text": "One two."}],
        ),
    ],
)
async def test_each_signature_stays_with_its_part(said: list[JsonValue], sent: list[JsonValue]) -> None:
    answer = await said_by(*[chunk(part) for part in said], chunk(finish="STOP"))
    assert await model_parts(recorded(answer)) == sent


async def test_words_after_a_call_are_said_once() -> None:
    answer = await said_by(
        chunk(text("One ")), chunk(call("kubernetes__logs", {}, SIGNED)), chunk(text("two.")), chunk(finish="STOP")
    )
    assert await model_parts(recorded(answer)) == [
        {"text": "One two."},
        {"functionCall": {"name": "kubernetes__logs", "args": {}}, "thoughtSignature": SIGNED},
    ]


CALLS = (
    ToolCall(id="ours-0", name="kubernetes__logs", arguments={"pod": "a"}),
    ToolCall(id="ours-1", name="b", arguments={}),
)


@pytest.mark.parametrize(
    "opaque",
    [
        None,
        {"provider": "anthropic", "parts": [{"kind": "call", "signature": SIGNED}] * 2},
        [{"type": "thinking", "signature": "abc"}],
        "text",
        {"provider": "google", "parts": [{"kind": "call", "signature": SIGNED}]},
    ],
)
async def test_calls_that_others_made_are_marked_as_such_and_keep_our_ids(opaque: JsonValue) -> None:
    foreign = AssistantMessage(content="I look.", tool_calls=CALLS, opaque=opaque)
    contents = await sent_for(QUESTION, foreign, result(0, "OOMKilled"))
    assert contents[1] == {
        "role": "model",
        "parts": [
            {"text": "I look."},
            {
                "functionCall": {"id": "ours-0", "name": "kubernetes__logs", "args": {"pod": "a"}},
                "thoughtSignature": FOREIGN,
            },
            {"functionCall": {"id": "ours-1", "name": "b", "args": {}}},
        ],
    }
    assert "'id': 'ours-0'" in str(contents[2])


@pytest.mark.parametrize("model", ["gemini-2.5-pro", "gemini-2.0-flash", "gemma-4-31b-it"])
async def test_models_that_want_no_signatures_get_no_mark(model: str) -> None:
    parts = await model_parts(AssistantMessage(content="", tool_calls=CALLS[:1]), model)
    assert parts == [{"functionCall": {"id": "ours-0", "name": "kubernetes__logs", "args": {"pod": "a"}}}]


async def test_results_of_two_turns_stay_apart() -> None:
    turn = AssistantMessage(content="", tool_calls=CALLS[:1])
    contents = await sent_for(
        QUESTION, turn, result(0, "one"), turn, result(0, "two"), UserMessage(content="Conclude.")
    )
    assert [content["role"] for content in contents if isinstance(content, dict)] == [
        "user", "model", "user", "model", "user", "user",
    ]  # fmt: skip


async def test_an_empty_answer_in_the_conversation_is_left_out() -> None:
    contents = await sent_for(
        QUESTION, AssistantMessage(content=""), UserMessage(content="Your last answer was empty.")
    )
    assert len(contents) == 2


async def test_without_a_system_prompt_none_is_sent() -> None:
    async with asked(Reply(DONE.steps)) as (llm, server):
        await answer_of(
            llm, request().model_copy(update={"conversation": Conversation(system="", messages=(QUESTION,))})
        )
    assert isinstance(server.asked[0].json, dict)
    assert "systemInstruction" not in server.asked[0].json
