"""Calls that stand in the text of an answer, because the server does not read the calls of its model. Pure.

One line of DIALECTS is one way in which models write calls. An answer that begins a call is never an analysis.
"""

import re
from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass

from pydantic import JsonValue

from tarsy_contracts.call_arguments import read_arguments
from tarsy_contracts.near_json import TooDeepError, object_at, value_of
from tarsy_session.controllers.react.parsed_answer import WrittenCall
from tarsy_session.controllers.react.sections import find_quotations
from tarsy_session.python_calls import read_python_calls

LONGEST = 64 * 1024
NAMES = ("name", "tool_name", "function", "tool")
INPUTS = ("arguments", "parameters", "args", "input", "tool_input")
MARK = re.compile(
    r"<tool_calls?>|<TOOLCALL>|<function=|<function_calls?>|<minimax:tool_call>|<invoke name=|\[TOOL_CALLS\]"
    r"|<\|(?:python_tag|python_start|tool_call|tool_calls_section_begin|tool_call_begin|action_start|START_ACTION"
    r"|tool_list_start)\|>|<\|channel\|>commentary to=|<｜tool▁calls?▁begin｜>|<｜DSML｜|<start_function_call>"
    r"|^[ \t]*```tool_(?:code|call)\b",
    re.MULTILINE,
)
FIELD = r"<(?:parameter|arg)(?:=|\s+name=\"?)([\w.\-]+)\"?[^>\n]*>\n?(.*?)\n?</(?:parameter|arg)>"
FIELDS = re.compile(FIELD, re.DOTALL)
PAIRS = re.compile(r"<arg_key>(.*?)</arg_key>\s*<arg_value>(.*?)</arg_value>", re.DOTALL)
TAGGED = re.compile(
    r"<(?:function=|(?:｜DSML｜)?invoke name=\")([\w.\-]+)\"?>\s*(.*?)\s*</(?:function|(?:｜DSML｜)?invoke)>", re.DOTALL
)
GLM = re.compile(r"<tool_call>\s*([\w.\-]+)\s*((?:<arg_key>.*?</arg_value>\s*)*)</tool_call>", re.DOTALL)
NAMED = re.compile(
    r"(?:\[TOOL_CALLS\](?P<mistral>[\w.\-]+)(?:\[CALL_ID\][\w\-]+)?(?:\[ARGS\])?"
    r"|<\|tool_call_begin\|>\s*(?:functions\.)?(?P<kimi>[\w.\-]+?)(?::\d+)?\s*<\|tool_call_argument_begin\|>"
    r"|<｜tool▁call▁begin｜>(?:function<｜tool▁sep｜>)?(?P<deepseek>[\w.\-]+)(?:<｜tool▁sep｜>)?\s*(?:```json)?"
    r"|<\|channel\|>commentary to=(?:functions\.)?(?P<harmony>[\w.\-]+)[^{]{0,80}<\|message\|>"
    r"|<start_function_call>call:(?P<gemma>[\w.\-]+))\s*(?=\{)"
)
OPENS_JSON = re.compile(r"[\[{]")


@dataclass(frozen=True, slots=True)
class TextCalls:
    """`calls`: none where they could not be read. `before`: the words that stand before the first one."""

    before: str
    calls: tuple[WrittenCall, ...]


def find_text_calls(text: str, known: Set[str]) -> TextCalls | None:
    """Returns None for an answer without calls. A quotation, in a fence or in backticks, is none.

    `known`: names of tools. Without a mark only a whole answer that names one of them is a call.
    """
    head = text[:LONGEST]
    mark = _mark(head)
    if mark is None:
        return _whole(head.strip(), known)
    written = head[mark:]
    calls = next((found for read in DIALECTS if (found := tuple(read(written)))), ())
    return TextCalls(head[:mark].strip(), calls)


def _mark(text: str) -> int | None:
    quoted = find_quotations(text, 0)
    for found in MARK.finditer(text):
        own_fence = "```" in found.group()
        inside = any(begin < found.start() < end for begin, end in quoted) and not own_fence
        if not inside and text[found.start() - 1 : found.start()] != "`":
            return found.start()
    return None


def _whole(text: str, known: Set[str]) -> TextCalls | None:
    if not text or not any(name in text for name in known):
        return None
    calls = tuple(_objects(text)) if text[0] in "[{" else ()
    calls = calls or tuple(WrittenCall(name, arguments) for name, arguments in read_python_calls(text))
    return TextCalls("", calls) if calls and all(call.name in known for call in calls) else None


def _tagged(text: str) -> Iterator[WrittenCall]:
    for found in TAGGED.finditer(text):
        fields = FIELDS.findall(found[2])
        if fields:
            yield WrittenCall(found[1], {key: _value(value) for key, value in fields})
            continue
        read = read_arguments(found[2])
        if read is not None:
            yield from (WrittenCall(found[1], one) for one in read)


def _glm(text: str) -> Iterator[WrittenCall]:
    for found in GLM.finditer(text):
        yield WrittenCall(found[1], {key.strip(): _value(value) for key, value in PAIRS.findall(found[2])})


def _named(text: str) -> Iterator[WrittenCall]:
    for found in NAMED.finditer(text):
        read = _object(text, found.end())
        if read is not None:
            yield WrittenCall(next(name for name in found.groups() if name), read)


def _json(text: str) -> Iterator[WrittenCall]:
    position = 0
    while opening := OPENS_JSON.search(text, position):
        found = _object_ending(text, opening.start())
        if found is None:
            position = opening.end()
            continue
        yield from _of_value(found[0])
        position = found[1]


def _python(text: str) -> Iterator[WrittenCall]:
    inner = re.sub(r"```(?:tool_code|tool_call)?|<\|[\w]+\|>", "\n", text).strip()
    yield from (WrittenCall(name, arguments) for name, arguments in read_python_calls(inner))


DIALECTS: tuple[Callable[[str], Iterator[WrittenCall]], ...] = (_tagged, _glm, _named, _json, _python)
"""Qwen3-Coder, Llama, Claude, MiniMax and DSML · GLM · Mistral, Kimi, DeepSeek, gpt-oss, Gemma · Hermes, Qwen,
Granite, Phi, Cohere, Jamba, Nemotron, InternLM, Llama's python_tag · pythonic (Llama 4, Gemma)."""


def _objects(text: str) -> Iterator[WrittenCall]:
    """The calls of a text that is JSON and nothing else."""
    found = value_of(text) or (
        (near[0],) if (near := _object_ending(text, 0)) and not text[near[1] :].strip() else None
    )
    if found is not None:
        yield from _of_value(found[0])


def _of_value(value: JsonValue) -> Iterator[WrittenCall]:
    match value:
        case list():
            for one in value:
                yield from _of_value(one)
        case {"function": dict(inner)} | {"tool_calls": list() as inner}:
            yield from _of_value(inner)
        case dict():
            name = next((given for key in NAMES if isinstance(given := value.get(key), str)), "")
            given = next((value[key] for key in INPUTS if key in value), None)
            if name:
                yield from (WrittenCall(name, one) for one in _arguments(given))
        case _:
            return


def _arguments(given: JsonValue) -> list[dict[str, JsonValue]]:
    match given:
        case dict():
            return [given]
        case None:
            return [{}]
        case str():
            return read_arguments(given) or []
        case _:
            return []


def _object(text: str, start: int) -> dict[str, JsonValue] | None:
    found = _object_ending(text, start)
    return found[0] if found is not None and isinstance(found[0], dict) else None


def _object_ending(text: str, start: int) -> tuple[JsonValue, int] | None:
    try:
        return object_at(text, start)
    except TooDeepError:
        return None


def _value(text: str) -> JsonValue:
    """A parameter between tags: JSON where it is, else the words as they stand."""
    try:
        found = value_of(text.strip())
    except TooDeepError:
        return text
    return text if found is None else found[0]
