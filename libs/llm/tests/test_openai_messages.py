"""JSON of conversations that go on: the same as that of the whole, and made once for each message."""

import json

import pytest
from asking import PODS
from pydantic import JsonValue

from tarsy_contracts.conversation import (
    AssistantMessage,
    Conversation,
    ConversationMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from tarsy_llm.openai.messages import Message, MessageEncoder, MessageWriter, list_messages

THOUGHT: JsonValue = {"provider": "openai", "reasoning": "Hm."}


def turn(number: int, opaque: JsonValue = None) -> list[ConversationMessage]:
    call = ToolCall(id=f"c{number}", name=PODS.name, arguments={"namespace": "café", "limit": number})
    return [
        AssistantMessage(content="I look.", tool_calls=(call,), opaque=opaque),
        ToolMessage(tool_call_id=call.id, tool_name=call.name, content=f"pod-{number} restarts", is_error=number == 2),
    ]


def conversation(*messages: ConversationMessage) -> Conversation:
    return Conversation(system="You are an SRE.", messages=messages)


FIRST = UserMessage(content="Why?")
TURNS = [turn(1), turn(2), turn(3, THOUGHT), turn(4)]
GROWING = [conversation(FIRST, *(message for one in TURNS[:count] for message in one)) for count in range(5)]
LAST_WORDS = conversation(*GROWING[2].messages, UserMessage(content="Be concise."))


@pytest.mark.parametrize("most_bytes", [0, 300, 1_000_000])
def test_whatever_is_kept_the_json_is_that_of_the_whole_conversation(most_bytes: int) -> None:
    encoder = MessageEncoder(most_bytes)
    for one in (*GROWING[:3], LAST_WORDS, *GROWING[2:], GROWING[1], conversation()):
        for id in ("", "execution-1", "execution-2"):
            assert json.loads(encoder.encode(one, id)) == list_messages(one)


def test_a_message_is_encoded_once_while_its_conversation_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    encoded: list[object] = []
    write = MessageWriter.write

    def noted(writer: MessageWriter, one: ConversationMessage) -> Message:
        encoded.append(one)
        return write(writer, one)

    monkeypatch.setattr(MessageWriter, "write", noted)
    encoder = MessageEncoder()
    for one in GROWING[:3]:
        encoder.encode(one, "execution-1")
    assert encoded == [*GROWING[2].messages]


def test_an_equal_message_with_other_json_is_encoded_anew() -> None:
    encoder = MessageEncoder()
    one, other = (
        conversation(AssistantMessage(content="", tool_calls=(ToolCall(id="c", name="a", arguments={"limit": limit}),)))
        for limit in (1, 1.0)
    )
    assert one == other
    encoder.encode(one, "execution-1")
    assert b"1.0" in encoder.encode(other, "execution-1")
