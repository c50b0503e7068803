"""The input of a tool as models write it, as arguments."""

import json
import math
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from tarsy_session.controllers.react.arguments import parse_arguments

READ: dict[str, tuple[str, dict[str, Any]]] = {
    "nothing": ("", {}),
    "blanks": (" \n ", {}),
    "an empty fence": ("```json\n```", {}),
    "an object": ('{"a": 1, "b": [true, null], "c": {"d": "e"}}', {"a": 1, "b": [True, None], "c": {"d": "e"}}),
    "an object and a remark": ('{"a": 1}\nThis lists {all} of them.', {"a": 1}),
    "a line break in a text": ('{"a": "b\nc"}', {"a": "b\nc"}),
    "an object in a fence": ('```json\n{"a": "```"}\n```\nI wait.', {"a": "```"}),
    "a fence without a word, on one line": ('```{"a": 1}```', {"a": 1}),
    "an object in backticks": ('`{"a": 1}`', {"a": 1}),
    "the word json": ('json\n{"a": 1}', {"a": 1}),
    "a list": ("[1, 2]", {"input": [1, 2]}),
    "a text": ('"web-1"', {"input": "web-1"}),
    "a number": ("42", {"input": 42}),
    "null": ("null", {"input": None}),
    "single quotes": ("{'a': 'it\\'s', 'b': 'don't'}", {"a": "it's", "b": "don't"}),
    "Python's words": ("{'a': True, 'b': None, 'c': [False]}", {"a": True, "b": None, "c": [False]}),
    "commas too many": ('{"a": [1, 2,], "b": 2,\n}', {"a": [1, 2], "b": 2}),
    "names without quotes": ('{namespace: "shop", tail: 5, app: web}', {"namespace": "shop", "tail": 5, "app": "web"}),
    "backslashes that JSON does not know": (r'{"a": "\d+\.\w", "b": "\n"}', {"a": r"\d+\.\w", "b": "\n"}),
    "double quotes in single ones": ("""{'a': 'say "x"'}""", {"a": 'say "x"'}),
    "braces that are none of JSON": ("{job='api'}", {"input": "{job='api'}"}),
    "an object that does not end": ('{"a": 1', {"input": '{"a": 1'}),
    "words that nobody can tell apart": ("{a: b c}", {"input": "{a: b c}"}),
    "YAML with a list": ("pods:\n  - web-1\n  - 2\ntail: 5", {"pods": ["web-1", 2], "tail": 5}),
    "YAML with a mapping": ("labels:\n  app: web\nall: true", {"labels": {"app": "web"}, "all": True}),
    "YAML with a list in brackets": ("pods: [web-1, web-2]", {"pods": ["web-1", "web-2"]}),
    "YAML with a block": ("script: |\n  a\n  b\nname: x", {"script": "a\nb\n", "name": "x"}),
    "YAML in a fence": ("```yaml\npods:\n- web-1\n```", {"pods": ["web-1"]}),
    "YAML that means what stands there": (
        'x: {a: no, b: 2024-01-01, c: 12:30, d: 007, e: "5", f: 1_0, g: , h: .inf}',
        {"x": {"a": "no", "b": "2024-01-01", "c": "12:30", "d": "007", "e": "5", "f": "1_0", "g": None, "h": ".inf"}},
    ),
    "YAML with a name twice": ("a: [1]\na: [2]", {"a": [2]}),
    "YAML that is prose": ("I would look at:\n- pods\n- nodes", {"input": "I would look at:\n- pods\n- nodes"}),
    "pairs, a line each": ("namespace: shop\ntail=50", {"namespace": "shop", "tail": 50}),
    "pairs with commas": ("namespace=shop, tail: 50", {"namespace": "shop", "tail": 50}),
    "pairs in a list": ("- namespace: shop\n- tail: 50", {"namespace": "shop", "tail": 50}),
    "values of all kinds": (
        "a=true, b=False, c=null, d=None, e=-5, f=1.5, g='5', h=\"x, y\", i=v1.2",
        {"a": True, "b": False, "c": None, "d": None, "e": -5, "f": 1.5, "g": "5", "h": "x, y", "i": "v1.2"},
    ),
    "values with structure": ('a=[1, "b"], c={"d": 2}', {"a": [1, "b"], "c": {"d": 2}}),
    "names in quotes": ('"a": 1\n`b`: 2', {"a": 1, "b": 2}),
    "no value": ("a:\nb=", {"a": "", "b": ""}),
    "a comma in a value": ("query: hello, world", {"query": "hello, world"}),
    "an apostrophe": ("query: don't, tail: 5", {"query": "don't", "tail": 5}),
    "a query of Prometheus": ('query: up{job="a",env="b"}, step: 5m', {"query": 'up{job="a",env="b"}', "step": "5m"}),
    "no pair: a comparison": ("up==0", {"input": "up==0"}),
    "no pair: a URL": ("https://example.org/a", {"input": "https://example.org/a"}),
    "no pair: an image": ("nginx:latest", {"input": "nginx:latest"}),
    "no pair: a command": ("get pods -n shop --selector app=web", {"input": "get pods -n shop --selector app=web"}),
    "one line of two is a pair": ("namespace: shop\nand all its pods", {"input": "namespace: shop\nand all its pods"}),
    "words": ("the pods of shop", {"input": "the pods of shop"}),
}


@pytest.mark.parametrize(("text", "arguments"), READ.values(), ids=READ.keys())
def test_arguments_are_read(text: str, arguments: dict[str, Any]) -> None:
    assert json.dumps(parse_arguments(text)) == json.dumps(arguments)


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ('{"a": NaN, "b": [-Infinity]}', {"a": "NaN", "b": ["-Infinity"]}),
        ('{"a": 1e999, "b": 9223372036854775808}', {"a": "1e999", "b": "9223372036854775808"}),
        (
            "a=1e999, b=-99999999999999999999, c=nan, d=inf",
            {"a": "1e999", "b": "-99999999999999999999", "c": "nan", "d": "inf"},
        ),
        ("NaN", {"input": "NaN"}),
        (f"a={'9' * 9000}", {"a": "9" * 9000}),
        ("a: [1e999]", {"a": ["1e999"]}),
        (r'{"a": "\ud800"}', {"a": "\ufffd"}),
        ("a=\ud800", {"a": "\ufffd"}),
    ],
)
def test_what_json_cannot_hold_comes_out_as_text(text: str, arguments: dict[str, Any]) -> None:
    assert parse_arguments(text) == arguments


def test_yaml_is_read_without_anchors() -> None:
    laughs = 'a: &a ["ha", "ha"]\n' + "".join(
        f"{b}: &{b} [*{a}, *{a}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True)
    )
    assert parse_arguments(laughs)["b"] == "&b [*a, *a]"
    assert parse_arguments("a: [1, &x 2]\nb:\n  - *x") == {"input": "a: [1, &x 2]\nb:\n  - *x"}


def test_only_a_short_text_is_worth_the_slow_reader_of_yaml() -> None:
    text = "a:\n" + "  - b\n" * 4_000
    assert parse_arguments(text) == {"input": text.strip()}


@pytest.mark.timing
def test_deep_brackets_are_given_up_early() -> None:
    def seconds(text: str) -> float:
        began = time.process_time()
        parse_arguments(text)
        return time.process_time() - began

    deep = min(seconds("a: " + "[" * 19_000) for _ in range(3))
    assert deep < 3 * min(seconds("a: [" + "[]," * 6_000 + "]") for _ in range(3))


def test_yaml_makes_no_objects() -> None:
    assert parse_arguments("a:\n  - !!python/object/apply:os.getcwd []") == {"a": [[]]}


@pytest.mark.parametrize(
    "text", ['{"a":' * 5000 + "1" + "}" * 5000, "[" * 5000 + "]" * 5000, "a: " + "[" * 5000 + "]" * 5000]
)
def test_what_is_nested_without_end_stays_text(text: str) -> None:
    (value,) = parse_arguments(text).values()
    assert isinstance(value, str)


plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=15,
)


@settings(deadline=None)
@given(
    st.dictionaries(st.text(), plain, max_size=5),
    st.sampled_from(("{}", "```json\n{}\n```", "{} and so on", "`{}`", "\n {}")),
)
def test_every_object_of_json_comes_out_as_it_is(value: dict[str, JsonValue], deps: str) -> None:
    assert parse_arguments(deps.replace("{}", json.dumps(value), 1)) == value


names = st.from_regex(r"[a-z][a-z_]{0,8}", fullmatch=True)


@settings(deadline=None)
@given(
    st.dictionaries(
        names, st.text("abc'\"\\ \n,:{}[]", max_size=8) | st.integers(-9, 9) | st.booleans() | st.none(), max_size=4
    )
)
def test_every_dictionary_of_python_comes_out_as_it_is_or_as_text(value: dict[str, JsonValue]) -> None:
    """A text that holds what looks like the end of it leaves more than one reading."""
    read = parse_arguments(repr(value))
    if not any(isinstance(text, str) and ("'" in text or '"' in text) for text in value.values()):
        assert read == value


PARTS = (
    "{",
    "}",
    "[",
    "]",
    "'",
    '"',
    ":",
    ": ",
    ",",
    "=",
    "\n",
    " ",
    "  - ",
    "a",
    "b: ",
    "1",
    "1e9",
    "true",
    "\\",
    "|\n",
    "&x ",
    "*x",
    "!!",
    "```",
    "`",
    "#",
    "?",
    "\t",
    "\x00",
    "\ud800",
    "é",
)
texts = st.one_of(st.text(max_size=100), st.lists(st.sampled_from(PARTS), max_size=25).map("".join))


@settings(deadline=None, max_examples=1500)
@given(texts)
def test_whatever_it_is_given_what_comes_out_is_json(text: str) -> None:
    found = parse_arguments(text)
    assert json.loads(json.dumps(found, allow_nan=False, ensure_ascii=False).encode()) == found
    assert all(abs(value) < math.inf for value in found.values() if isinstance(value, float))


@pytest.mark.timing
@pytest.mark.parametrize(
    "part",
    [
        *(
            "[",
            "{",
            '{"a":',
            "{'",
            "{'\\'",
            "- ",
            "a:\n",
            "a: [\n",
            "a=1,",
            "a: 1\n",
            " '",
            "`",
            "a='b' ",
            "{' ",
            "a:\n\n",
            "x ",
        ),
        *('{"a":"b" ', "a: b, c, ", "? ", "a: |\n ", "{a: ", "'a':", "```\n", "\\", "= ", "1"),
    ],
)
def test_a_long_text_takes_about_as_much_longer_as_it_is_longer(part: str) -> None:
    def seconds(length: int) -> float:
        text = (part * length)[:length]
        began = time.process_time()
        parse_arguments(text)
        return time.process_time() - began

    short = min(seconds(10_000) for _ in range(3))
    assert min(seconds(100_000) for _ in range(3)) < 10 * 4 * max(short, 0.002)
