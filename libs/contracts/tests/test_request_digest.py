"""Digest of a request to a model: pinned, as logs hold it, and different for whatever a model is given otherwise."""

import pytest

from tarsy_contracts.conversation import (
    AssistantMessage,
    Conversation,
    ConversationMessage,
    ToolCall,
    ToolDefinition,
    ToolMessage,
    UserMessage,
)
from tarsy_contracts.request_digest import ConversationDigest, digest_request

TOOL = ToolDefinition(name="k8s__pods", description="lists pods", input_schema={"type": "object"})
CALL = ToolCall(id="c1", name="k8s__pods", arguments={"ns": "shop", "limit": 1.0})
MESSAGES: tuple[ConversationMessage, ...] = (
    UserMessage(content="It burns: ü"),
    AssistantMessage(content="I look.", tool_calls=(CALL,), opaque={"signature": "c2ln"}),
    ToolMessage(tool_call_id="c1", tool_name="k8s__pods", content="none", is_error=True),
)
ASKED = Conversation(system="You are an SRE.", messages=MESSAGES)
DIGEST = "2841064a0d05c7e5104fec85f65f6d32622716659c6a64b17f8761bc8a475410"


def test_the_digest_of_a_request_never_changes() -> None:
    assert (
        digest_request(ASKED, tools=(TOOL,), native_tools=("google_search",), answer_tokens=5, is_last=True) == DIGEST
    )


def changed(number: int, **fields: object) -> Conversation:
    messages = list(MESSAGES)
    messages[number] = messages[number].model_copy(update=fields)
    return ASKED.model_copy(update={"messages": tuple(messages)})


@pytest.mark.parametrize(
    "other",
    [
        ASKED.model_copy(update={"system": "You are an SRE"}),
        ASKED.model_copy(update={"messages": MESSAGES[:2]}),
        ASKED.model_copy(update={"messages": (MESSAGES[1], MESSAGES[0], MESSAGES[2])}),
        ASKED.model_copy(update={"messages": (AssistantMessage(content="It burns: ü"), *MESSAGES[1:])}),
        changed(0, content="It burns: ue"),
        changed(1, opaque=None),
        changed(1, tool_calls=(CALL.model_copy(update={"arguments": {"limit": 1.0, "ns": "shop"}}),)),
        changed(1, tool_calls=(CALL.model_copy(update={"arguments": {"ns": "shop", "limit": 1}}),)),
        changed(2, is_error=False),
        changed(2, tool_call_id="c2"),
    ],
)
def test_a_conversation_that_differs_has_another_digest(other: Conversation) -> None:
    assert digest_request(other) != digest_request(ASKED)


def test_all_that_goes_with_the_conversation_counts() -> None:
    digests = {
        digest_request(ASKED),
        digest_request(ASKED, tools=(TOOL,)),
        digest_request(ASKED, tools=(TOOL.model_copy(update={"description": "lists all pods"}),)),
        digest_request(ASKED, native_tools=("google_search",)),
        digest_request(ASKED, answer_tokens=5),
        digest_request(ASKED, is_last=True),
    }
    assert len(digests) == 6


def test_half_a_surrogate_pair_has_a_digest() -> None:
    assert digest_request(Conversation(system="\ud800", messages=()))


def test_a_conversation_has_the_same_digest_after_it_lay_on_the_log() -> None:
    assert digest_request(Conversation.model_validate_json(ASKED.model_dump_json())) == digest_request(ASKED)


def test_a_conversation_that_goes_on_has_the_digest_of_the_whole() -> None:
    begun = ConversationDigest(ASKED.system)
    for count, message in enumerate(MESSAGES):
        assert begun.of_request() == digest_request(ASKED.model_copy(update={"messages": MESSAGES[:count]}))
        begun = begun.extend([message])
    assert begun.of_request(tools=(TOOL,), native_tools=("google_search",), answer_tokens=5, is_last=True) == DIGEST
