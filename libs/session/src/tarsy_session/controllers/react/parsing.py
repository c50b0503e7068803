"""Parser of ReAct answers: Thought, Action, Action Input, Final Answer. Pure; never raises.

An action counts when a final answer follows it without an observation between them: such an answer is a guess at the
tool's result. If it was more, the model repeats it after the result. A wrong guess the other way would end the
investigation. A final answer that comes first ends it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tarsy_contracts.events import OfferedTool
from tarsy_contracts.near_json import object_at
from tarsy_contracts.thoughts import part_thoughts
from tarsy_session.controllers.react.as_json import read_call, read_final_answer
from tarsy_session.controllers.react.attempts import Attempt, parse_action
from tarsy_session.controllers.react.inputs import without_last_fence
from tarsy_session.controllers.react.instructions import (
    ACTION_IS_A_SENTENCE,
    ACTION_WITHOUT_NAME,
    EMPTY_FINAL_ANSWER,
    INPUT_WITHOUT_ACTION,
    NEITHER,
    NO_ACTION_AND_NO_ANSWER,
    NOTHING,
    ONLY_THOUGHTS,
)
from tarsy_session.controllers.react.parsed_answer import ParsedAnswer, WrittenCall
from tarsy_session.controllers.react.sections import AnswerSection, find_sections
from tarsy_session.tools.offered_names import Names

THINKING_BEGINS, THINKING_ENDS = "<think>", "</think>"
OPENING = re.compile(r"\s*+(?:`{3,}+[ \t]*+\w*+\s*+)?")
FENCE_LINE = re.compile(r"^[ \t]*+`{3,}", re.MULTILINE)
MOST_READ = 64 * 1024
"""Characters of an answer in which an action or a final answer may begin. Reading blocks the event loop."""


@dataclass(frozen=True, slots=True)
class SectionWalk:
    """`stop` is where the answer ceases to be the model's own; `weak`: an action that may be none."""

    stop: int
    sections: list[AnswerSection]
    weak: Attempt | None = None
    without_action: Attempt | None = None
    final: AnswerSection | None = None


def parse_answer(text: str, tools: Sequence[OfferedTool]) -> ParsedAnswer:
    """Looks only through the beginning of a very long answer. A final answer that begins there goes to the end."""
    head = text[:MOST_READ]
    names = Names(tools)
    begin = _end_of_thinking(head)
    found = _walk_sections(head, find_sections(head, begin, lambda line: names.find_leading(line) is not None), names)
    if isinstance(found, Attempt):
        return _answer_with_call(head, found)
    if not found.sections:
        return _parse_without_sections(head, begin, names)
    if found.final is not None:
        found = replace(found, stop=len(text), final=replace(found.final, end=len(text)))
    return _answer_without_call(text, found)


def extract_conclusion(text: str) -> str:
    """Returns the final answer, wherever it stands, or else the whole text: actions count no longer."""
    begin = _end_of_thinking(text)
    found = find_sections(text[:MOST_READ], begin, lambda _: False)
    final = next((section for section in found if section.kind == "final"), None)
    whole = None if final is None else replace(final, end=len(text))
    return (_final_answer(text, whole) if whole is not None else "") or text[begin:].strip() or text.strip()


def _end_of_thinking(text: str) -> int:
    """Some models show their thinking; an action there is not meant, nor where the thinking has no end."""
    found = text.rfind(THINKING_ENDS)
    after = 0 if found < 0 else found + len(THINKING_ENDS)
    return len(text) if THINKING_BEGINS in text[after:] and part_thoughts(text[after:]).unfinished else after


def _walk_sections(text: str, found: list[AnswerSection], names: Names) -> Attempt | SectionWalk:
    """Returns the first action that is meant, or else what there was.

    An action that names no known tool and has no input may be prose: then a later one, or a final answer, is meant.
    """
    weak = none = None
    for index, section in enumerate(found):
        match section.kind:
            case "final":
                return SectionWalk(len(text), found, weak, none, section)
            case "observation" if weak is not None:
                return SectionWalk(section.start, found, weak, none)
            case "action":
                below = next((after for after in found[index + 1 : index + 2] if after.kind == "input"), None)
                tried = _read_json_action(text, section, names) or parse_action(text, section, below, names)
                if tried.is_none:
                    none = none or tried
                elif tried.known or tried.given:
                    return tried
                else:
                    weak = weak or tried
            case _:
                pass
    return SectionWalk(len(text), found, weak, none)


def _read_json_action(text: str, section: AnswerSection, names: Names) -> Attempt | None:
    opening = OPENING.match(text, section.begin)
    found = object_at(text, opening.end()) if opening else None
    call = read_call(found[0]) if found is not None else None
    if found is None or call is None:
        return None
    name, arguments = call
    tool = names.find_leading(name)
    words = arguments.get("input")
    return Attempt(tool or name, tool is not None, arguments, True, found[1], words if isinstance(words, str) else "")


def _answer_with_call(text: str, call: Attempt) -> ParsedAnswer:
    kept = text[: call.end].strip()
    if not call.name:
        return ParsedAnswer(kept, reminder=ACTION_WITHOUT_NAME)
    if call.is_sentence:
        return ParsedAnswer(kept, reminder=ACTION_IS_A_SENTENCE)
    return ParsedAnswer(kept, call=WrittenCall(call.name, call.arguments))


def _answer_without_call(text: str, found: SectionWalk) -> ParsedAnswer:
    kept = text[: found.stop].strip()
    if found.final is not None:
        answer = _final_answer(text, found.final)
        return ParsedAnswer(kept, final_answer=answer, reminder="" if answer else EMPTY_FINAL_ANSWER)
    if found.weak is not None:
        if found.weak.name and not found.weak.is_sentence:
            return _answer_with_call(text, found.weak)
        return ParsedAnswer(kept, reminder=ACTION_IS_A_SENTENCE if found.weak.name else ACTION_WITHOUT_NAME)
    if found.without_action is not None:
        words = found.without_action.behind
        return ParsedAnswer(kept, final_answer=words, reminder="" if words else NO_ACTION_AND_NO_ANSWER)
    kinds = {section.kind for section in found.sections}
    return ParsedAnswer(kept, reminder=INPUT_WITHOUT_ACTION if "input" in kinds else ONLY_THOUGHTS)


def _final_answer(text: str, final: AnswerSection) -> str:
    """Removes the end of a fence, or of bold letters, that began before the answer."""
    answer = text[final.begin : final.end].strip()
    if len(FENCE_LINE.findall(answer)) % 2:
        answer = without_last_fence(answer)
    if answer.count("**") % 2:
        answer = answer.removesuffix("**") if answer.endswith("**") else answer.removeprefix("**")
    return answer.strip()


def _parse_without_sections(text: str, begin: int, names: Names) -> ParsedAnswer:
    """Reads an answer without headers: it may be one JSON object that holds all."""
    kept = text.strip()
    opening = OPENING.match(text, begin)
    found = object_at(text, opening.end()) if opening else None
    if found is None:
        return ParsedAnswer(kept, reminder=NEITHER if kept else NOTHING)
    if answer := read_final_answer(found[0]):
        return ParsedAnswer(kept, final_answer=answer)
    whole = AnswerSection("action", begin, begin, len(text))
    call = _read_json_action(text, whole, names)
    if call is None:
        return ParsedAnswer(kept, reminder=NEITHER)
    if call.is_none:
        return ParsedAnswer(kept, final_answer=call.behind, reminder="" if call.behind else NO_ACTION_AND_NO_ANSWER)
    return _answer_with_call(text, call)
