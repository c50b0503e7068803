"""Calls that stand in the text of an answer, because the server does not read the calls of its model. Pure.

An answer that begins a call is never an analysis. How models write calls: call_dialects.py.
"""

import re
from collections.abc import Set
from dataclasses import dataclass

from tarsy_session.controllers.call_dialects import calls_of_json, read_written_calls
from tarsy_session.controllers.python_calls import read_python_calls
from tarsy_session.controllers.react.parsed_answer import WrittenCall
from tarsy_session.controllers.react.sections import find_quotations

LONGEST = 64 * 1024
NOWHERE = (LONGEST, LONGEST)
MARK = re.compile(
    r"<tool_calls?>|<TOOLCALL>|<function=|<function_calls?>|<minimax:tool_call>|<invoke name=|\[TOOL_CALLS\]"
    r"|<\|(?:python_tag|python_start|tool_call|tool_calls_section_begin|tool_call_begin|action_start|START_ACTION"
    r"|tool_list_start)\|>|<\|channel\|>commentary to=|<｜tool▁calls?▁begin｜>|<｜DSML｜|<start_function_call>"
    r"|^[ \t]*```tool_(?:code|call)\b",
    re.MULTILINE,
)


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
    mark = _find_mark(head)
    if mark is None:
        return _calls_of_whole_text(head.strip(), known)
    return TextCalls(head[:mark].strip(), read_written_calls(head[mark:]))


def _find_mark(text: str) -> int | None:
    left = iter(find_quotations(text, 0))
    begin, end, quoted_until = *next(left, NOWHERE), 0
    for found in MARK.finditer(text):
        while begin < found.start():
            quoted_until = max(quoted_until, end)
            begin, end = next(left, NOWHERE)
        own_fence = "```" in found.group()
        if (own_fence or found.start() >= quoted_until) and text[found.start() - 1 : found.start()] != "`":
            return found.start()
    return None


def _calls_of_whole_text(text: str, known: Set[str]) -> TextCalls | None:
    if not text or not any(name in text for name in known):
        return None
    calls = tuple(calls_of_json(text)) if text[0] in "[{" else ()
    calls = calls or tuple(WrittenCall(name, arguments) for name, arguments in read_python_calls(text))
    return TextCalls("", calls) if calls and all(call.name in known for call in calls) else None
