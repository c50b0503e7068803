"""A script is read whole, and every mistake in it is told with its line."""

from pathlib import Path

import pytest

from tarsy_llm.scripted.script import InvalidScriptError, ScriptedTurn, load_scripts

GOOD = """\
turns:
  - agent: KubernetesAgent
    iteration: 1
    needs: ["KubePodCrashLooping"]
    thinking: "Which pod is it?"
    text: "I look at the pods."
    tool_calls: [{name: kubernetes__pods_list, arguments: {namespace: shop}}]
    usage: {input_tokens: 1200, output_tokens: 80}
"""

WRONG = """\
turns:
  - agent: KubernetesAgent
    iteration: 0
    text: hello
  - agent: KubernetesAgent
    iteration: 2
    txt: hello
    text: hello
  - agent: KubernetesAgent
    iteration: 3
  - agent: KubernetesAgent
    iteration: 4
    text: hello
    retryable: true
  - iteration: 5
    tool_calls: [{nam: x}]
    usage: {tokens: 3}
  - agent: KubernetesAgent
    text: hello
    fail: slower
    kind: rate_limited
    retryable: true
  - agent: KubernetesAgent
    fail: no more
    kind: cut_off
  - agent: KubernetesAgent
    fail: slower
    kind: too_slow
    retry_after_seconds: -1
"""


def script_file(folder: Path, text: str, name: str = "script.yaml") -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def only_turn(file: Path) -> ScriptedTurn:
    (placed,) = load_scripts([file]).turns
    return placed.turn


def test_a_good_script_loads(tmp_path: Path) -> None:
    turn = only_turn(script_file(tmp_path, GOOD))
    assert turn.agent == "KubernetesAgent"
    assert turn.tool_calls[0].arguments == {"namespace": "shop"}
    assert turn.usage.output_tokens == 80


def test_every_mistake_is_told_with_its_line(tmp_path: Path) -> None:
    file = script_file(tmp_path, WRONG)
    with pytest.raises(InvalidScriptError) as caught:
        load_scripts([file])
    assert str(caught.value).splitlines() == [
        f"{file}:3: turns.0.iteration: it should be greater than or equal to 1",
        f"{file}:7: turns.1.txt: unknown key; did you mean text?",
        f"{file}:9: turns.2: the turn has neither text nor tool_calls",
        f"{file}:11: turns.3: kind, retryable, retry_after_seconds and times belong to a fail, and there is none",
        f"{file}:15: turns.4.agent: Field required",
        f"{file}:16: turns.4.tool_calls.0.nam: unknown key; did you mean name?",
        f"{file}:16: turns.4.tool_calls.0.name: Field required",
        f"{file}:17: turns.4.usage.tokens: unknown key; did you mean input_tokens?",
        f"{file}:18: turns.5: kind says already whether it is retryable",
        f"{file}:23: turns.6: cut_off comes in the middle of an answer, and the turn has neither text nor thinking",
        f"{file}:28: turns.7.kind: it should be 'credentials', 'invalid_request', 'refused', 'rate_limited', "
        "'provider_error', 'first_chunk_timeout', 'stalled', 'cut_off', 'answer_too_long', 'context_full',"
        " 'malformed_call', 'truncated' or 'tools_refused'",
        f"{file}:29: turns.7.retry_after_seconds: it should be greater than or equal to 0",
    ]


@pytest.mark.parametrize(
    ("text", "line", "sentence"),
    [
        ("turns: [", 1, "is not YAML"),
        ("turns: []\nturns: []\n", 2, "turns stands here a second time"),
        ("a: &a 1\nb: *a\n", 2, "aliases are not allowed here"),
        ("a: " + "[" * 2000, 1, "is nested too deeply"),
    ],
)
def test_what_is_not_the_wanted_yaml_is_told_with_its_line(tmp_path: Path, text: str, line: int, sentence: str) -> None:
    file = script_file(tmp_path, text)
    with pytest.raises(InvalidScriptError, match=sentence) as caught:
        load_scripts([file])
    assert str(caught.value).startswith(f"{file}:{line}: ")


def test_a_script_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidScriptError, match=r"nowhere\.yaml: cannot be read"):
        load_scripts([tmp_path / "nowhere.yaml"])


def test_several_files_are_one_script_in_order_and_each_turn_knows_its_place(tmp_path: Path) -> None:
    one = script_file(tmp_path, GOOD, "one.yaml")
    two = script_file(tmp_path, "# two\nturns: [{agent: Summarizer, iteration: 1, text: short}]\n", "two.yaml")
    turns = load_scripts([one, two]).turns
    assert [(placed.turn.agent, placed.place) for placed in turns] == [
        ("KubernetesAgent", f"{one}:2"),
        ("Summarizer", f"{two}:2"),
    ]


def test_the_mistakes_of_all_files_are_told(tmp_path: Path) -> None:
    good, wrong = script_file(tmp_path, GOOD, "good.yaml"), script_file(tmp_path, "turns: []\n", "wrong.yaml")
    with pytest.raises(InvalidScriptError) as caught:
        load_scripts([tmp_path / "nowhere.yaml", good, wrong])
    nowhere, empty = str(caught.value).splitlines()
    assert nowhere.startswith(f"{tmp_path / 'nowhere.yaml'}: cannot be read")
    assert empty == f"{wrong}:1: turns: the script has no turn"
