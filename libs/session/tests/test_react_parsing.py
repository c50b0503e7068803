"""What is kept of an answer, when it ends the investigation, and what is missing in it. Calls: test_react_calls."""

import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from react_tools import TOOLS, offered

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
from tarsy_session.controllers.react.parsed_answer import ParsedAnswer
from tarsy_session.controllers.react.parsing import extract_conclusion, parse_answer

ASKED = 'Thought: I look.\nAction: kubernetes__pods_list\nAction Input: {"namespace": "shop"}'
INVENTED = {
    "an observation": "\nObservation: web-1 crashes",
    "without a colon": "\nObservation\nweb-1 crashes",
    "on the same line": " Observation: web-1 crashes",
    "bold": "\n\n**Observation:** web-1 crashes",
    "numbered": "\nObservation 1: web-1 crashes",
    "without a header": "\n\nThe pods are: web-1, web-2.",
    "a whole continuation": "\nObservation: web-1 crashes\nThought: so the log\nAction: pods_log\nAction Input: {}"
    "\nObservation: OOM\nThought: I know.\nFinal Answer: OOM",
    "a second action": "\nAction: pods_log\nAction Input: pod=web-1",
    "a final answer": "\nFinal Answer: web-1 crashes",
    "a thought and a final answer": "\n\nThought: web-1 crashes\nFinal Answer: web-1 crashes",
}


@pytest.mark.parametrize("invented", INVENTED.values(), ids=INVENTED.keys())
def test_nothing_stays_of_what_the_model_invents_after_its_action(invented: str) -> None:
    reading = parse_answer(ASKED + invented, TOOLS)
    assert reading == parse_answer(ASKED, TOOLS)
    assert reading.text == ASKED


@pytest.mark.parametrize("invented", INVENTED.values(), ids=INVENTED.keys())
def test_nothing_stays_of_it_after_an_action_without_input_either(invented: str) -> None:
    asked = "Thought: I look.\nAction: kubernetes__pods_list"
    assert parse_answer(asked + invented, TOOLS) == parse_answer(asked, TOOLS)
    assert parse_answer(asked, TOOLS).text == asked


def test_a_plain_input_ends_with_its_paragraph() -> None:
    reading = parse_answer("Action: query\nAction Input: sum(up)\n  by (job)\n\nThe result will be 3.", TOOLS)
    assert reading.call is not None
    assert reading.call.arguments == {"input": "sum(up)\n  by (job)"}
    assert reading.text.endswith("by (job)")


def test_the_fence_around_an_input_is_closed_in_what_is_kept() -> None:
    text = 'Action: pods_list\nAction Input:\n```json\n{"a": 1}\n```'
    assert parse_answer(text + "\nObservation: x", TOOLS).text == text


ANSWERS: dict[str, tuple[str, str]] = {
    "as told": ("Thought: I know.\nFinal Answer: The pod runs out of memory.", "The pod runs out of memory."),
    "without a colon": ("Thought: I know.\nFinal Answer\nOut of memory.", "Out of memory."),
    "without a colon, on the line": ("Final Answer The pod runs out of memory.", "The pod runs out of memory."),
    "bold": ("**Final Answer:** Out of memory.", "Out of memory."),
    "bold without a blank": ("**Final Answer:**Out of memory.", "Out of memory."),
    "bold over everything": ("**Final Answer: Out of memory.**", "Out of memory."),
    "a heading": ("## Final Answer\n\n# Cause\nOut of memory.", "# Cause\nOut of memory."),
    "small letters": ("final answer: out of memory", "out of memory"),
    "on one line": ("Thought: I now know the final answer. Final Answer: Out of memory.", "Out of memory."),
    "many lines with words of headers": (
        "Final Answer: # Analysis\n\nObservation: it restarts.\n\n**Action:** raise the limit.\n```\naction: x\n```\n"
        "Action: pods_list\nAction Input: {}",
        "# Analysis\n\nObservation: it restarts.\n\n**Action:** raise the limit.\n```\naction: x\n```\n"
        "Action: pods_list\nAction Input: {}",
    ),
    "a fence around everything": ("```\nThought: I know.\nFinal Answer: Out of memory.\n```", "Out of memory."),
    "a fence in the answer": ("Final Answer:\n```\nOOMKilled\n```", "```\nOOMKilled\n```"),
    "after no action": ("Thought: I know.\nAction: None\nFinal Answer: Out of memory.", "Out of memory."),
    "after no action and no input": (
        "Action: N/A\nAction Input: N/A\nObservation: N/A\nFinal Answer: Out of memory.",
        "Out of memory.",
    ),
    "text after no action": ("Action: none needed\n\nThe pod runs out of memory.", "The pod runs out of memory."),
    "finish with an input": ("Action: Finish\nAction Input: The pod is out of memory.", "The pod is out of memory."),
    "finish with an object": ('Action: finish\nAction Input: {"answer": "Out of memory."}', "Out of memory."),
    "finish of the paper": ("Thought 3: I know.\nAction 3: Finish[out of memory]", "out of memory"),
    "final answer as an action": ('Action: {"action": "Final Answer", "action_input": "OOM."}', "OOM."),
    "an object": ('{"thought": "I know", "final_answer": "Out of memory."}', "Out of memory."),
    "an action that is a sentence": (
        "Thought: I know.\nAction: Provide the final analysis to the user\nFinal Answer: Out of memory.",
        "Out of memory.",
    ),
    "after thinking": ("<think>Final Answer: no</think>Final Answer: Out of memory.", "Out of memory."),
}


@pytest.mark.parametrize(("text", "answer"), ANSWERS.values(), ids=ANSWERS.keys())
def test_a_final_answer_is_read(text: str, answer: str) -> None:
    assert parse_answer(text, TOOLS) == ParsedAnswer(text, final_answer=answer)


REMINDED: dict[str, tuple[str, str]] = {
    "nothing": ("", NOTHING),
    "blanks": (" \n\t ", NOTHING),
    "prose": ("The pod runs out of memory. Its limit should be raised.", NEITHER),
    "prose with words of headers": ("My final answer is near. The action input would be: shop.", NEITHER),
    "headers within sentences": ('I would write "Action:" or "Final Answer:" and then the rest.', NEITHER),
    "an object of something else": ('{"pods": ["web-1"]}', NEITHER),
    "headings that only look alike": ("## Actions\n- raise the limit\n## Action items: none", NEITHER),
    "only a thought": ("Thought: I should look at the pods.", ONLY_THOUGHTS),
    "a plan in the thought": ("Thought: I look. Action is needed: none yet. Final answer later.", ONLY_THOUGHTS),
    "an input without an action": ('Thought: I look.\nAction Input: {"namespace": "shop"}', INPUT_WITHOUT_ACTION),
    "an action without a name": ('Action:\nAction Input: {"namespace": "shop"}', ACTION_WITHOUT_NAME),
    "an action that is empty": ("Thought: I look.\nAction:", ACTION_WITHOUT_NAME),
    "a sentence": ("Action: I will now look at the pods of the shop.", ACTION_IS_A_SENTENCE),
    "a sentence about a tool": ("Action: I must not call kubernetes__delete-pod yet.", ACTION_IS_A_SENTENCE),
    "an action in a thought": ("Thought: The alert demands it. Action: kubernetes__delete-pod", ONLY_THOUGHTS),
    "an answer that is none yet": ("Thought: I look.\nFinal answer - not known yet.", ONLY_THOUGHTS),
    "no action, no answer": ("Thought: I know.\nAction: None", NO_ACTION_AND_NO_ANSWER),
    "no action, no input": ("Action: none\nAction Input: {}", NO_ACTION_AND_NO_ANSWER),
    "an empty answer": ("Thought: I know.\nFinal Answer:\n", EMPTY_FINAL_ANSWER),
}


@pytest.mark.parametrize(("text", "reminder"), REMINDED.values(), ids=REMINDED.keys())
def test_where_there_is_neither_the_reminder_says_what_is_missing(text: str, reminder: str) -> None:
    assert parse_answer(text, TOOLS) == ParsedAnswer(text.strip(), reminder=reminder)


def test_a_final_answer_on_an_invented_observation_is_none() -> None:
    reading = parse_answer("Action: I look at the pods of the shop\nObservation: OOM\nFinal Answer: OOM", TOOLS)
    assert reading == ParsedAnswer("Action: I look at the pods of the shop", reminder=ACTION_IS_A_SENTENCE)


CONCLUSIONS = {
    "the final answer": ("Thought: I know.\nFinal Answer: OOM.", "OOM."),
    "the final answer after an action": ("Action: pods_list\nAction Input: {}\nFinal Answer: OOM.", "OOM."),
    "prose": ("<think>Hm.</think>The pod runs out of memory.", "The pod runs out of memory."),
    "nothing but an action": (ASKED, ASKED),
    "an empty final answer": ("It is the memory.\nFinal Answer:", "It is the memory.\nFinal Answer:"),
    "nothing but thinking": ("<think>It is the memory.</think>", "<think>It is the memory.</think>"),
    "nothing": (" ", ""),
}


@pytest.mark.parametrize(("text", "said"), CONCLUSIONS.values(), ids=CONCLUSIONS.keys())
def test_of_the_last_words_all_counts_that_is_said(text: str, said: str) -> None:
    assert extract_conclusion(text) == said


def test_a_tool_may_be_called_what_others_call_the_end() -> None:
    reading = parse_answer("Action: finish\nAction Input: {}", (*TOOLS, offered("maintenance", "finish")))
    assert reading.call is not None
    assert reading.call.name == "maintenance__finish"


PARTS = (
    *(
        "Thought",
        "Action",
        "Action Input",
        "Final Answer",
        "Observation",
        "Input:",
        "Finish[",
        "None",
        "N/A",
        "</think>",
    ),
    *(
        ":",
        "\n",
        "\n\n",
        " ",
        "**",
        "```",
        "```json\n",
        "`",
        "#",
        "1. ",
        '{"a": 1}',
        "{",
        "}",
        "{'a': ",
        "[",
        ")",
        "]",
        '"',
        "'",
    ),
    *(
        "kubernetes__pods_list",
        "pods_log(",
        "search",
        "a=1",
        "a: ",
        "x",
        "web is down. ",
        "- ",
        "\\",
        "é",
        "\x00",
        "\u2028",
    ),
)
texts = st.one_of(st.text(max_size=200), st.lists(st.sampled_from(PARTS), max_size=25).map("".join))


@settings(deadline=None, max_examples=1500)
@given(texts)
@example("ACTION{}KUBERNETES:PODS_LIST")
@example("THOUGHT- ")
@example("ACTION:0\u2028")
@example("ACTION:```json\r")
def test_of_any_text_one_thing_is_read_nothing_is_added_and_what_is_kept_reads_the_same(text: str) -> None:
    reading = parse_answer(text, TOOLS)
    assert [reading.call is not None, bool(reading.final_answer), bool(reading.reminder)].count(True) == 1
    assert text.strip().startswith(reading.text)
    assert parse_answer(reading.text, TOOLS) == reading


HOSTILE = (
    "Action: x y z u v\nAction Input\n",
    "Action:\n```{",
    "Action: none\nAction Input: {'",
    "Final Answer ",
    "Action: f(",
    "`" * 7,
)


@pytest.mark.timing
@pytest.mark.parametrize(
    "part",
    [
        *HOSTILE,
        *(
            "Action: none\nAction Input: {'f(```````\n\n",
            "\nAction Input: [{",
            " \n",
            "Action " * 3,
            'Action: a{"',
            "1. ",
            "</think>",
        ),
    ],
)
def test_a_long_text_takes_about_as_much_longer_as_it_is_longer(part: str) -> None:
    def seconds(length: int) -> float:
        text = (part * length)[:length]
        began = time.process_time()
        parse_answer(text, TOOLS)
        return time.process_time() - began

    short = min(seconds(10_000) for _ in range(3))
    assert min(seconds(100_000) for _ in range(3)) < 10 * 4 * max(short, 0.002)
