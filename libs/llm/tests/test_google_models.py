"""How much a model is asked to think is said in the words of its generation."""

import pytest
from gemini import answer_of, chunk, gemini, request, streamed, text
from pydantic import JsonValue
from wire import ProviderServer

from tarsy_llm.model_settings import Thinking

SHOWN: JsonValue = {"include_thoughts": True}


@pytest.mark.parametrize(
    ("model", "thinking", "sent"),
    [
        ("gemini-3-pro-preview", None, SHOWN),
        ("gemini-3.5-flash", "low", {"include_thoughts": True, "thinking_level": "LOW"}),
        ("models/gemini-3.1-pro", "medium", {"include_thoughts": True, "thinking_level": "MEDIUM"}),
        ("gemini-flash-latest", "high", {"include_thoughts": True, "thinking_level": "HIGH"}),
        ("our-own-gemini", None, SHOWN),
        ("gemini-3-pro-preview", "off", {"include_thoughts": False, "thinking_level": "LOW"}),
        ("gemini-2.5-flash", None, SHOWN),
        ("gemini-2.5-flash", "off", {"include_thoughts": False, "thinking_budget": 0}),
        ("gemini-2.5-pro", "off", {"include_thoughts": False, "thinking_budget": 128}),
        ("gemini-2.5-pro", "low", {"include_thoughts": True, "thinking_budget": 1024}),
        ("gemini-2.5-flash-lite", "high", {"include_thoughts": True, "thinking_budget": 24576}),
        ("gemini-2.0-flash", "high", None),
        ("gemini-1.5-pro", None, None),
        ("gemma-4-31b-it", None, None),
        ("gemma-4-31b-it", "high", {"include_thoughts": True, "thinking_level": "HIGH"}),
    ],
)
async def test_each_model_is_told_in_its_own_way(model: str, thinking: Thinking | None, sent: JsonValue) -> None:
    async with ProviderServer([streamed(chunk(text("Hi"), finish="STOP"))]).running() as server:
        llm = gemini(server.url, model=model, thinking=thinking)
        await answer_of(llm, request())
        await llm.aclose()
    assert isinstance(server.asked[0].json, dict)
    told = server.asked[0].json.get("generationConfig", {})
    assert isinstance(told, dict)
    assert told.get("thinkingConfig") == sent
