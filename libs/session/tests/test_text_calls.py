"""Calls in the text of an answer, in the ways in which models write them. Sources: the page that documents each."""

from time import thread_time

import pytest
from pydantic import JsonValue

from tarsy_session.controllers.text_calls import find_text_calls
from tarsy_testing.story.story import Story, types

NAME = "kubernetes__pods_list"
SHOP: dict[str, JsonValue] = {"namespace": "shop"}
JSON = f'{{"name": "{NAME}", "arguments": {{"namespace": "shop"}}}}'

CALLS = {
    "Hermes, Qwen (qwen.readthedocs.io function_call)": f"I look.\n<tool_call>\n{JSON}\n</tool_call>",
    "Hermes without an end": f"<tool_call>{JSON}",
    "Qwen3-Coder (vllm-project/vllm qwen3coder_tool_parser)": (
        f"<tool_call>\n<function={NAME}>\n<parameter=namespace>\nshop\n</parameter>\n</function>\n</tool_call>"
    ),
    "Llama 3.1 (llama.com prompt formats)": f'<function={NAME}>{{"namespace": "shop"}}</function>',
    "Llama 3.1 bare JSON": f'{{"name": "{NAME}", "parameters": {{"namespace": "shop"}}}}',
    "Llama 3.1 python_tag": f'<|python_tag|>{{"name": "{NAME}", "parameters": {{"namespace": "shop"}}}}',
    "Llama 4 pythonic": f'[{NAME}(namespace="shop")]',
    "Llama 4 with marks": f'<|python_start|>[{NAME}(namespace="shop")]<|python_end|>',
    "Mistral (docs.vllm.ai tool_calling)": f"[TOOL_CALLS] [{JSON}]",
    "Mistral v11": f'[TOOL_CALLS]{NAME}[ARGS]{{"namespace": "shop"}}',
    "GLM-4.5": f"<tool_call>{NAME}\n<arg_key>namespace</arg_key>\n<arg_value>shop</arg_value>\n</tool_call>",
    "Kimi K2": (
        f"<|tool_calls_section_begin|><|tool_call_begin|>functions.{NAME}:0<|tool_call_argument_begin|>"
        '{"namespace": "shop"}<|tool_call_end|><|tool_calls_section_end|>'
    ),
    "DeepSeek V3": (
        f"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>{NAME}\n```json\n"
        '{"namespace": "shop"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>'
    ),
    "DeepSeek V3.1": f'<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>{NAME}<｜tool▁sep｜>{{"namespace": "shop"}}',
    "gpt-oss harmony": (
        f'<|channel|>commentary to=functions.{NAME} <|constrain|>json<|message|>{{"namespace": "shop"}}<|call|>'
    ),
    "Claude's XML": (
        f'<function_calls><invoke name="{NAME}"><parameter name="namespace">shop</parameter></invoke></function_calls>'
    ),
    "Granite, Phi": f"<|tool_call|>[{JSON}]<|/tool_call|>",
    "Cohere": f'<|START_ACTION|>[{{"tool_name": "{NAME}", "parameters": {{"namespace": "shop"}}}}]<|END_ACTION|>',
    "Nemotron": f"<TOOLCALL>[{JSON}]</TOOLCALL>",
    "Gemma": f'```tool_code\n{NAME}(namespace="shop")\n```',
    "arguments as a string": (
        f'<tool_call>{{"name": "{NAME}", "arguments": "{{\\"namespace\\": \\"shop\\"}}"}}</tool_call>'
    ),
    "nearly JSON": f"<tool_call>{{'name': '{NAME}', 'arguments': {{'namespace': 'shop',}}}}</tool_call>",
}
NO_CALLS = {
    "prose": "The pod shop/web runs out of memory.",
    "a quotation": f"The log has:\n```\n<tool_call>{JSON}</tool_call>\n```\nso the server has no parser.",
    "a word about tags": "The model writes `<tool_call>` into its text.",
    "JSON of something else": '{"name": "checkout", "parameters": {}}',
    "the name of a tool in prose": f"I have looked with {NAME}.",
}


@pytest.mark.parametrize("text", CALLS.values(), ids=CALLS.keys())
def test_a_call_in_the_text_is_read(text: str) -> None:
    found = find_text_calls(text, {NAME})
    assert found is not None
    assert [(call.name, call.arguments) for call in found.calls] == [(NAME, SHOP)]


@pytest.mark.parametrize("text", NO_CALLS.values(), ids=NO_CALLS.keys())
def test_what_only_looks_like_one_is_none(text: str) -> None:
    assert find_text_calls(text, {NAME}) is None


def test_two_calls_in_the_text_are_two() -> None:
    found = find_text_calls(f"<tool_call>{JSON}</tool_call>\n<tool_call>{JSON}</tool_call>", {NAME})
    assert found is not None
    assert len(found.calls) == 2


def test_the_call_is_made_and_the_words_before_it_are_kept() -> None:
    story = Story().asking()
    events = story.when(story.answer(f"I look first.\n\n<tool_call>\n{JSON}\n</tool_call>"))
    assert types(events) == ["llm_call.completed", "tool_call.requested"]
    assert story.execution().turns[-1].answer.text == "I look first."


def test_a_call_that_cannot_be_read_is_no_analysis_but_a_reminder() -> None:
    story = Story().asking()
    events = story.when(story.answer('<tool_call>\n{"name": "kubernetes__pods_list", "argum'))
    assert types(events) == ["llm_call.completed", "llm_call.requested"]
    assert "call written into its text" in story.execution().turns[-1].answer.reminder


def test_no_call_is_made_of_an_answer_that_was_cut() -> None:
    story = Story().asking()
    cut = story.answer(f"<tool_call>{JSON}").model_copy(update={"cut": True})
    assert types(story.when(cut)) == ["llm_call.completed", "llm_call.requested"]


LONG = 64 * 1024
HOSTILE = {
    "tags without an end": "<tool_call>" + "<function=a>" * (LONG // 12),
    "fields without an end": "<function=a>" + "<parameter=b>" * (LONG // 14) + "</function>",
    "pairs without an end": "<tool_call>a " + "<arg_key>b</arg_key><arg_value>c</arg_value>" * (LONG // 45),
    "objects without an end": "<tool_call>" + '{"a":' * (LONG // 5),
    "names without an end": "[TOOL_CALLS]a{" * (LONG // 14),
    "marks in quotations": "> <tool_call>\n" * (LONG // 14),
}


@pytest.mark.timing
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_twice_the_text_takes_twice_the_time(text: str) -> None:
    """It took seconds, and the pairs hours: in linear time it is some milliseconds."""
    half, whole = (least_time(text[:end]) for end in (LONG // 2, LONG))
    assert whole < 3 * half + 0.02


def least_time(text: str) -> float:
    def once() -> float:
        before = thread_time()
        find_text_calls(text, {NAME})
        return thread_time() - before

    return min(once() for _ in range(3))
