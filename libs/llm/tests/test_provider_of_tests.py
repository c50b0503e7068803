"""The provider that whole-system tests start: every adapter understands it, and shows it its key."""

import asyncio
from pathlib import Path

import pytest
from asking import KEY, PODS, answer_of, request
from dialects import DIALECTS
from pydantic import SecretStr

from tarsy_llm.model_settings import ModelSettings
from tarsy_testing.servers.provider import provider

SCRIPT = """
turns:
  - agent: KubernetesAgent
    iteration: 1
    needs: ['Why does the pod crash?']
    thinking: Which pod?
    text: |-
      I look.
      At once.
    tool_calls: [{name: kubernetes__pods, arguments: {namespace: shop}}, {name: kubernetes__pods}]
    usage: {input_tokens: 25, output_tokens: 15}
"""


@pytest.mark.parametrize("name", DIALECTS)
async def test_every_adapter_understands_the_provider_of_whole_systems(tmp_path: Path, name: str) -> None:
    (script := tmp_path / "script.yaml").write_text(SCRIPT, encoding="utf-8")
    dialect = DIALECTS[name]
    with provider(scripts=[script]) as served:
        llm = dialect.adapter(
            ModelSettings(model=dialect.model, api_key=SecretStr(KEY), base_url=f"{served.url}{dialect.path}")
        )
        async with asyncio.timeout(90):
            answer = await answer_of(llm, request())
        await llm.aclose()
    assert (answer.thinking, answer.text) == ("Which pod?", "I look.\nAt once.")
    assert [call.arguments for call in answer.tool_calls] == [{"namespace": "shop"}, {}]
    assert {call.name for call in answer.tool_calls} == {PODS.name}
    assert (answer.usage.input_tokens, answer.usage.output_tokens) == (25, 15)
    assert served.keys == {KEY}
