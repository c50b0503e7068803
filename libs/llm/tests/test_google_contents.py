"""Contents of conversations that go on with Gemini: the same as those of the whole, and made once for each message."""

import pytest
from asking import GOOGLES, PODS

from tarsy_contracts.conversation import (
    AssistantMessage,
    Conversation,
    ConversationMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from tarsy_llm.google.contents import ContentMaker
from tarsy_llm.protocol import LlmRequest

MODEL = "gemini-3-pro-preview"


def turn(number: int) -> list[ConversationMessage]:
    """Two calls at once; Gemini named the call of the second turn itself."""
    calls = [ToolCall(id=f"c{number}-{index}", name=PODS.name, arguments={"limit": index}) for index in range(2)]
    if number == 2:
        opaque = {"provider": "google", "parts": [{"kind": "call", "id": "theirs", "signature": "c2ln"}]}
        calls = calls[:1]
        asked = AssistantMessage(content="I look.", tool_calls=tuple(calls), opaque=opaque)
    else:
        asked = AssistantMessage(content="I look.", tool_calls=tuple(calls), opaque=GOOGLES)
    results = [
        ToolMessage(tool_call_id=call.id, tool_name=call.name, content=f"{call.id} restarts", is_error=number == 3)
        for call in calls
    ]
    return [asked, *results]


def asked(*messages: ConversationMessage, id: str = "execution-1") -> LlmRequest:
    conversation = Conversation(system="You are an SRE.", messages=messages)
    return LlmRequest(agent="A", iteration=1, conversation=conversation, conversation_id=id)


FIRST = UserMessage(content="Why?")
TURNS = [turn(number) for number in (1, 2, 3)]
GROWING = [[FIRST, *(message for one in TURNS[:count] for message in one)] for count in range(4)]
HALF_A_TURN = GROWING[1][:-1]


@pytest.mark.parametrize("most_characters", [0, 40, 1_000_000])
def test_whatever_is_kept_the_contents_are_those_of_the_whole_conversation(most_characters: int) -> None:
    maker = ContentMaker(MODEL, most_characters)
    for messages in (GROWING[0], HALF_A_TURN, *GROWING[1:], GROWING[1], [*GROWING[2], FIRST]):
        for id in ("", "execution-1", "execution-2"):
            request = asked(*messages, id=id)
            assert maker.make(request) == ContentMaker(MODEL).make(request)


def test_a_message_is_made_once_while_its_conversation_goes_on() -> None:
    maker = ContentMaker(MODEL)
    before = maker.make(asked(*GROWING[1]))
    after = maker.make(asked(*GROWING[3]))
    assert len(after) > len(before)
    assert all(one is other for one, other in zip(before, after, strict=False))


def test_what_was_made_for_an_earlier_request_stays_as_it_was() -> None:
    maker = ContentMaker(MODEL)
    half = maker.make(asked(*HALF_A_TURN))
    maker.make(asked(*GROWING[1]))
    assert half == ContentMaker(MODEL).make(asked(*HALF_A_TURN))
