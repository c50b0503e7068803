"""Ways in which models write calls into their text: one line of DIALECTS is one of them. Pure, in linear time."""

import re
from collections.abc import Callable, Iterator

from pydantic import JsonValue

from tarsy_contracts.call_arguments import read_arguments
from tarsy_contracts.near_json import TooDeepError, object_at, value_of
from tarsy_session.controllers.python_calls import read_python_calls
from tarsy_session.controllers.react.parsed_answer import WrittenCall

NAMES = ("name", "tool_name", "function", "tool")
INPUTS = ("arguments", "parameters", "args", "input", "tool_input")
MOST_FAILURES = 20
"""Limit of beginnings that turn out to be none. More of them are not worth the time."""
NAME = r"[\w.\-]{1,200}+"
TAGGED = re.compile(rf"<(?P<tag>function|(?:｜DSML｜)?invoke)(?:=| name=\")(?P<name>{NAME})\"?>")
FIELD = re.compile(rf"<(?P<tag>parameter|arg)(?:=|\s{{1,9}}name=\"?)(?P<name>{NAME})\"?[^>\n]{{0,200}}+>")
GLM = re.compile(rf"<(?P<tag>tool_call)>\s*+(?P<name>{NAME})\s*+(?=<arg_key>|</tool_call>)")
GLM_KEY = re.compile(r"<(?P<tag>arg_key)>")
GLM_VALUE = re.compile(r"<(?P<tag>arg_value)>")
NAMED = re.compile(
    rf"(?:\[TOOL_CALLS\](?P<mistral>{NAME})(?:\[CALL_ID\]{NAME})?(?:\[ARGS\])?"
    r"|<\|tool_call_begin\|>\s*+(?:functions\.)?(?P<kimi>[\w.\-]{1,200}?)(?::\d{1,9})?\s*+<\|tool_call_argument_begin\|>"
    rf"|<｜tool▁call▁begin｜>(?:function<｜tool▁sep｜>)?(?P<deepseek>{NAME})(?:<｜tool▁sep｜>)?\s*+(?:```json)?"
    rf"|<\|channel\|>commentary to=(?:functions\.)?(?P<harmony>{NAME})[^{{]{{0,80}}<\|message\|>"
    rf"|<start_function_call>call:(?P<gemma>{NAME}))\s*+(?=\{{)"
)
OPENS_JSON = re.compile(r"[\[{]")
MARKS_OF_PYTHON = re.compile(r"```(?:tool_code|tool_call)?|<\|\w{1,40}\|>")


def read_written_calls(text: str) -> tuple[WrittenCall, ...]:
    """Returns the calls of the first dialect that has any. `text` begins with the mark of a call."""
    return next((found for read in DIALECTS if (found := tuple(read(text)))), ())


def calls_of_json(text: str) -> Iterator[WrittenCall]:
    """The calls of a text that is JSON and nothing else."""
    found = value_of(text)
    if found is None and (near := _read_object_and_end(text, 0)) and not text[near[1] :].strip():
        found = (near[0],)
    if found is not None:
        yield from _calls_of_value(found[0])


def _read_tagged_calls(text: str) -> Iterator[WrittenCall]:
    for opening, inner in _find_elements(text, TAGGED):
        fields = {field["name"]: _parse_value(said) for field, said in _find_elements(inner, FIELD)}
        read = [fields] if fields else read_arguments(inner) or []
        yield from (WrittenCall(opening["name"], one) for one in read)


def _read_glm_calls(text: str) -> Iterator[WrittenCall]:
    for opening, inner in _find_elements(text, GLM):
        keys = [key.strip() for _, key in _find_elements(inner, GLM_KEY)]
        values = [_parse_value(value) for _, value in _find_elements(inner, GLM_VALUE)]
        if len(keys) == len(values):
            yield WrittenCall(opening["name"], dict(zip(keys, values, strict=True)))


def _find_elements(text: str, opening: re.Pattern[str]) -> Iterator[tuple[re.Match[str], str]]:
    """Elements with what stands between their tags. Behind the first one without an end no other has one."""
    position = 0
    while found := opening.search(text, position):
        closing = f"</{found['tag']}>"
        end = text.find(closing, found.end())
        if end < 0:
            return
        yield found, text[found.end() : end].removeprefix("\n").removesuffix("\n")
        position = end + len(closing)


def _read_named_calls(text: str) -> Iterator[WrittenCall]:
    failures = 0
    for found in NAMED.finditer(text):
        read = _read_object_and_end(text, found.end())
        if read is not None:
            yield WrittenCall(next(name for name in found.groups() if name), read[0])
        elif (failures := failures + 1) == MOST_FAILURES:
            return


def _read_json_calls(text: str) -> Iterator[WrittenCall]:
    position = failures = 0
    while failures < MOST_FAILURES and (opening := OPENS_JSON.search(text, position)):
        found = _read_object_and_end(text, opening.start())
        if found is not None:
            yield from _calls_of_value(found[0])
        failures += found is None and opening.group() == "{"
        position = found[1] if found is not None else opening.end()


def _read_python_calls(text: str) -> Iterator[WrittenCall]:
    inner = MARKS_OF_PYTHON.sub("\n", text).strip()
    yield from (WrittenCall(name, arguments) for name, arguments in read_python_calls(inner))


DIALECTS: tuple[Callable[[str], Iterator[WrittenCall]], ...] = (
    _read_tagged_calls,
    _read_glm_calls,
    _read_named_calls,
    _read_json_calls,
    _read_python_calls,
)
"""Qwen3-Coder, Llama, Claude, MiniMax and DSML · GLM · Mistral, Kimi, DeepSeek, gpt-oss, Gemma · Hermes, Qwen,
Granite, Phi, Cohere, Jamba, Nemotron, InternLM, Llama's python_tag · pythonic (Llama 4, Gemma)."""


def _calls_of_value(value: JsonValue) -> Iterator[WrittenCall]:
    match value:
        case list():
            for one in value:
                yield from _calls_of_value(one)
        case {"function": dict(inner)} | {"tool_calls": list() as inner}:
            yield from _calls_of_value(inner)
        case dict():
            name = next((given for key in NAMES if isinstance(given := value.get(key), str)), "")
            given = next((value[key] for key in INPUTS if key in value), None)
            if name:
                yield from (WrittenCall(name, one) for one in _to_argument_sets(given))
        case _:
            return


def _to_argument_sets(given: JsonValue) -> list[dict[str, JsonValue]]:
    match given:
        case dict():
            return [given]
        case None:
            return [{}]
        case str():
            return read_arguments(given) or []
        case _:
            return []


def _read_object_and_end(text: str, start: int) -> tuple[dict[str, JsonValue], int] | None:
    try:
        return object_at(text, start)
    except TooDeepError:
        return None


def _parse_value(text: str) -> JsonValue:
    """A parameter between tags: JSON where it is, else the words as they stand."""
    try:
        found = value_of(text.strip())
    except TooDeepError:
        return text
    return text if found is None else found[0]
