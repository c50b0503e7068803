"""How models really write a call when they are told to write Thought, Action and Action Input."""

from typing import Any

import pytest
from react_tools import TOOLS

from tarsy_session.controllers.react.parsing import parse_answer

PODS = "kubernetes__pods_list"
LOG = "kubernetes__pods_log"
DELETE = "kubernetes__delete-pod"
QUERY = "prometheus__query"
SHOP = {"namespace": "shop"}

CALLS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "as told": (
        'Thought: I look at the pods.\nAction: kubernetes__pods_list\nAction Input: {"namespace": "shop"}',
        PODS,
        SHOP,
    ),
    "without colons": (
        'Thought\nI look.\nAction\nkubernetes__pods_list\nAction Input\n{"namespace": "shop"}',
        PODS,
        SHOP,
    ),
    "without colons, on the same lines": (
        'Thought I look.\nAction kubernetes__pods_list\nAction Input {"namespace": "shop"}',
        PODS,
        SHOP,
    ),
    "bold, colon inside": (
        '**Thought:** I look.\n**Action:** kubernetes__pods_list\n**Action Input:** {"namespace": "shop"}',
        PODS,
        SHOP,
    ),
    "bold, colon outside": (
        '**Thought**: I look.\n\n**Action**: `kubernetes__pods_list`\n\n**Action Input**: `{"namespace": "shop"}`',
        PODS,
        SHOP,
    ),
    "bold over the whole line": (
        "**Action: kubernetes__pods_list**\n**Action Input:** namespace=shop",
        PODS,
        SHOP,
    ),
    "headings": (
        "### Thought\nI look.\n\n### Action\nkubernetes__pods_list\n\n"
        '### Action Input\n```json\n{"namespace": "shop"}\n```',
        PODS,
        SHOP,
    ),
    "numbered words": (
        'Thought 1: I look.\nAction 1: kubernetes__pods_list\nAction Input 1: {"namespace": "shop"}',
        PODS,
        SHOP,
    ),
    "a numbered list": (
        '1. Thought: I look.\n2. Action: kubernetes__pods_list\n3. Action Input: {"namespace": "shop"}',
        PODS,
        SHOP,
    ),
    "a list in bold": (
        '- **Thought**: I look.\n- **Action**: kubernetes__pods_list\n- **Action Input**: {"namespace": "shop"}',
        PODS,
        SHOP,
    ),
    "small letters, other blanks": (
        'thought : i look\n\n\naction :   kubernetes__pods_list  \n\naction_input :   {"namespace":"shop"}  \n\n',
        PODS,
        SHOP,
    ),
    "capitals": ('THOUGHT: LOOK\nACTION: kubernetes__pods_list\nACTION INPUT: {"namespace": "shop"}', PODS, SHOP),
    "carriage returns": (
        'Thought: I look.\r\nAction: kubernetes__pods_list\r\nAction Input: {"namespace": "shop"}\r\n',
        PODS,
        SHOP,
    ),
    "wide colons": ('Thought：看\nAction：kubernetes__pods_list\nAction Input：{"namespace": "shop"}', PODS, SHOP),
    "signs before the words": ("🤔 Thought: I look.\n🔧 Action: kubernetes__pods_list\n⚙️ Action Input: {}", PODS, {}),
    "a fence around everything": (
        '```\nThought: I look.\nAction: kubernetes__pods_list\nAction Input: {"namespace": "shop"}\n```',
        PODS,
        SHOP,
    ),
    "a fence around action and input": (
        "Thought: I look.\n```\nAction: kubernetes__pods_list\nAction Input: namespace=shop\n```\nNow I wait.",
        PODS,
        SHOP,
    ),
    "a fence around the input": (
        'Action: kubernetes__pods_list\nAction Input:\n```json\n{\n  "namespace": "shop"\n}\n```\nI wait for the pods.',
        PODS,
        SHOP,
    ),
    "a fence on the line of the header": (
        'Action: kubernetes__pods_list\nAction Input: ```json\n{"namespace": "shop"}\n```',
        PODS,
        SHOP,
    ),
    "YAML in a fence": (
        "Action: kubernetes__pods_list\nAction Input:\n```yaml\nnamespace: shop\nlabels:\n  app: web\n```",
        PODS,
        {"namespace": "shop", "labels": {"app": "web"}},
    ),
    "everything on one line": (
        'Thought: I look at the pods. Action: kubernetes__pods_list Action Input: {"namespace": "shop"}',
        PODS,
        SHOP,
    ),
    "one line, no full stop, an unknown name": (
        'Thought: I look at the nodes Action: nodes_top Action Input: {"all": true} Observation: node-1',
        "nodes_top",
        {"all": True},
    ),
    "the input on a line of its own": (
        'Thought: I look at the pods. Action: kubernetes__pods_list\nAction Input: {"namespace": "shop"}',
        PODS,
        SHOP,
    ),
    "other signs than colons": ('Action = pods_list\nAction Inputs -> {"namespace": "shop"}', PODS, SHOP),
    "the word name": ('Action Name: pods_list\nAction Arguments: x\nArguments: {"namespace": "shop"}', PODS, SHOP),
    "action and input on one line": (
        'Thought: I look.\nAction: kubernetes__pods_list, Action Input: {"namespace": "shop"}',
        PODS,
        SHOP,
    ),
    "backticks": ("Action: `kubernetes__pods_list`\nAction Input: {}", PODS, {}),
    "quotes": ('Action: "kubernetes__pods_list"\nAction Input: {}', PODS, {}),
    "brackets": ("Action: [kubernetes__pods_list]\nAction Input: {}", PODS, {}),
    "a dot": ("Action: kubernetes.pods_list\nAction Input: {}", PODS, {}),
    "a slash": ("Action: kubernetes/pods_list\nAction Input: {}", PODS, {}),
    "a tool that only one server has": ("Action: pods_list\nAction Input: {}", PODS, {}),
    "other letters": ("Action: Kubernetes.Pods_List\nAction Input: {}", PODS, {}),
    "another dash": ("Action: kubernetes__delete_pod\nAction Input: pod=web-1", DELETE, {"pod": "web-1"}),
    "a tool that two servers have": ("Action: search\nAction Input: oom", "search", {"input": "oom"}),
    "a prefix of other programs": ("Action: functions.kubernetes__pods_list\nAction Input: {}", PODS, {}),
    "a call form": (
        'Action: kubernetes__pods_log(pod="web-1", tail=50)',
        LOG,
        {"pod": "web-1", "tail": 50},
    ),
    "a call form with an object": ('Action: kubernetes.pods_list({"namespace": "shop"})', PODS, SHOP),
    "a call form over lines": (
        'Action: pods_log(\n  pod="web (old)",\n  tail=5\n)\nObservation: x',
        LOG,
        {"pod": "web (old)", "tail": 5},
    ),
    "a call form of the paper": ("Action 1: query[up == 0]\nObservation 1: 3", QUERY, {"input": "up == 0"}),
    "an empty call form and an input": ("Action: pods_list()\nAction Input: namespace=shop", PODS, SHOP),
    "an input without a header": ('Action: pods_list {"namespace": "shop"}', PODS, SHOP),
    "an input below, without a header": (
        'Action: kubernetes__pods_list\n```json\n{"namespace": "shop"}\n```\n',
        PODS,
        SHOP,
    ),
    "the word input alone": ('Action: pods_list\nInput: {"namespace": "shop"}', PODS, SHOP),
    "the whole action as an object": (
        'Thought: I look.\nAction:\n```json\n{"action": "pods_list", "action_input": {"namespace": "shop"}}\n```',
        PODS,
        SHOP,
    ),
    "the whole answer as an object": (
        '```json\n{"thought": "I look", "action": "pods_list", "action_input": {"namespace": "shop"}}\n```',
        PODS,
        SHOP,
    ),
    "no input": ("Thought: I look.\nAction: kubernetes__pods_list", PODS, {}),
    "an input that is none": ("Action: kubernetes__pods_list\nAction Input: None", PODS, {}),
    "an empty input": ("Action: kubernetes__pods_list\nAction Input:\nObservation: pods", PODS, {}),
    "a remark behind the name": ("Action: kubernetes__pods_list (to see which crash)\nAction Input: {}", PODS, {}),
    "a sentence with the name": ("Action: I call `kubernetes__pods_list` now.\nAction Input: {}", PODS, {}),
    "an unknown name": ("Action: kubectl\nAction Input: get pods -n shop", "kubectl", {"input": "get pods -n shop"}),
    "an unknown name without an input": ("Thought: hm.\nAction: cluster_status", "cluster_status", {}),
    "Python's dictionary": (
        "Action: pods_list\nAction Input: {'namespace': 'shop', 'all': True, 'since': None,}",
        PODS,
        {"namespace": "shop", "all": True, "since": None},
    ),
    "a header inside of an input": (
        'Action: search\nAction Input: {"query": "\nObservation: none\nAction: x", "limit": 2}\nObservation: 3 hits',
        "search",
        {"query": "\nObservation: none\nAction: x", "limit": 2},
    ),
    "a sentence first, then the action": (
        "Thought: hm\nAction: I will look at the pods of the shop first\nAction: pods_list\nAction Input: {}",
        PODS,
        {},
    ),
    "words of headers in the thought": (
        "Thought: The last Action: restart did not help, and I cannot give a Final Answer: yet.\n"
        "Actions taken so far: none. Observation of the log comes next.\nAction: pods_log\nAction Input: pod=web",
        LOG,
        {"pod": "web"},
    ),
    "the observation repeated first": (
        "Observation: the pods crash\nThought: so the log.\nAction: pods_log\nAction Input: pod=web",
        LOG,
        {"pod": "web"},
    ),
    "thinking shown": (
        "<think>\nAction: query\nAction Input: up\nNo, pods.\n</think>\nAction: pods_list\nAction Input: {}",
        PODS,
        {},
    ),
    "no action first, then one": ("Action: None\nThought: or rather\nAction: pods_list\nAction Input: {}", PODS, {}),
}


@pytest.mark.parametrize(("text", "name", "arguments"), CALLS.values(), ids=CALLS.keys())
def test_a_call_is_read(text: str, name: str, arguments: dict[str, Any]) -> None:
    reading = parse_answer(text, TOOLS)
    assert reading.call is not None, reading
    assert (reading.call.name, reading.call.arguments) == (name, arguments)
    assert reading.final_answer == reading.reminder == ""
