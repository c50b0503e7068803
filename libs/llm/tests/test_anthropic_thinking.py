"""How much each generation of Claude is asked to think, in its own words."""

import pytest
from asking import RESULTS, request
from pydantic import JsonValue

from tarsy_contracts.conversation import AssistantMessage, ConversationMessage, ToolCall, UserMessage
from tarsy_llm.anthropic.wire import request_body
from tarsy_llm.model_settings import ModelSettings, Thinking

OLD = (
    "claude-sonnet-4-5-20250929",
    "claude-opus-4-20250514",
    "claude-haiku-4-5",
    "claude-3-7-sonnet",
    "kimi-k3",
)
ADAPTIVE = ("claude-opus-4-6", "claude-sonnet-4-6", "claude-opus-4-8", "claude-opus-5", "anthropic.claude-haiku-5-5")
BETWEEN_TOOLS = ("claude-sonnet-5-5",)
UNSTOPPABLE = ("claude-opus-5-5", "claude-fable-5", "claude-mythos-preview", "claude-fable-5-2")

SHOWN: JsonValue = {"type": "adaptive", "display": "summarized"}
THOUGHT: JsonValue = {
    "provider": "anthropic",
    "blocks": [{"type": "redacted_thinking", "data": "x"}, {"type": "tool_use"}],
}


def thinking(
    model: str, configured: Thinking | None, *messages: ConversationMessage, max_output_tokens: int | None = None
) -> dict[str, JsonValue]:
    settings = ModelSettings(model=model, thinking=configured, max_output_tokens=max_output_tokens)
    body = request_body(settings, request(*messages), "kept")
    return {key: value for key, value in body.items() if key in ("thinking", "output_config")}


def called(opaque: JsonValue) -> AssistantMessage:
    return AssistantMessage(
        content="", tool_calls=(ToolCall(id="call-1", name="kubernetes__pods", arguments={}),), opaque=opaque
    )


WHY, GO_ON, RESULT = UserMessage(content="Why?"), UserMessage(content="Go on."), RESULTS[0]


@pytest.mark.parametrize("model", [*ADAPTIVE, *BETWEEN_TOOLS, *UNSTOPPABLE])
def test_newer_ones_decide_themselves_guided_by_an_effort_and_show_it(model: str) -> None:
    assert thinking(model, None) == {"thinking": SHOWN}
    assert thinking(model, "medium") == {"thinking": SHOWN, "output_config": {"effort": "medium"}}


@pytest.mark.parametrize("model", OLD)
def test_older_ones_are_given_a_budget_or_told_nothing(model: str) -> None:
    assert thinking(model, None) == {}
    assert thinking(model, "low") == {"thinking": {"type": "enabled", "budget_tokens": 2_000}}
    assert thinking(model, "high") == {"thinking": {"type": "enabled", "budget_tokens": 16_000}}


def test_a_budget_leaves_room_for_the_answer_and_one_too_small_is_none() -> None:
    budget: JsonValue = {"type": "enabled", "budget_tokens": 1_500}
    assert thinking(OLD[0], "high", max_output_tokens=3_000) == {"thinking": budget}
    assert thinking(OLD[0], "high", max_output_tokens=2000) == {}


@pytest.mark.parametrize("model", [*OLD, *ADAPTIVE])
def test_off_is_off_where_a_model_can_be_stopped(model: str) -> None:
    assert thinking(model, "off") == {"thinking": {"type": "disabled"}}


def test_off_is_little_where_it_cannot() -> None:
    assert [thinking(model, "off") for model in BETWEEN_TOOLS] == [{"thinking": {"type": "between_tools"}}]
    little: dict[str, JsonValue] = {"thinking": SHOWN, "output_config": {"effort": "low"}}
    assert [thinking(model, "off") for model in UNSTOPPABLE] == [little] * 4


@pytest.mark.parametrize(
    ("messages", "thinks"),
    [
        ((WHY,), True),
        ((WHY, called(THOUGHT), RESULT), True),
        ((WHY, called(THOUGHT), RESULT, called(None), RESULT), True),
        ((WHY, called(None), RESULT), False),
        ((WHY, called(None), RESULT, called(THOUGHT), RESULT), False),
        ((WHY, called(None), RESULT, GO_ON), False),
        ((WHY, called(None), RESULT, AssistantMessage(content="It is out of memory."), GO_ON), True),
    ],
    ids=[
        "nothing yet",
        "its own",
        "its own first",
        "another's",
        "another's first",
        "still the same turn",
        "a new turn",
    ],
)
def test_an_older_one_thinks_only_in_a_turn_that_began_with_a_thought_of_its_own(
    messages: tuple[ConversationMessage, ...], thinks: bool
) -> None:
    told = thinking(OLD[0], "low", *messages)["thinking"]
    assert told == ({"type": "enabled", "budget_tokens": 2_000} if thinks else {"type": "disabled"})


@pytest.mark.parametrize("model", [OLD[0], ADAPTIVE[0]])
def test_who_does_not_think_gets_no_thoughts_back(model: str) -> None:
    asking = request(WHY, called(THOUGHT), RESULT)
    off, on = (str(request_body(ModelSettings(model=model, thinking=told), asking, "kept")) for told in ("off", "low"))
    assert "redacted_thinking" not in off
    assert "redacted_thinking" in on


def test_a_newer_one_thinks_also_after_a_turn_of_anothers() -> None:
    assert thinking(ADAPTIVE[0], None, WHY, called(None), RESULT) == {"thinking": SHOWN}


def test_an_older_one_whose_thoughts_are_left_out_does_not_think_on() -> None:
    body = request_body(ModelSettings(model=OLD[0], thinking="low"), request(WHY, called(THOUGHT), RESULT), "left out")
    assert body["thinking"] == {"type": "disabled"}
    assert "redacted_thinking" not in str(body)
