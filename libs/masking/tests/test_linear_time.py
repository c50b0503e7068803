"""Twice the text takes about twice the time, whatever the text."""

from collections.abc import Callable
from functools import partial

import pytest
from masking_texts import PATTERNS

from tarsy_masking.json_value import JsonValue
from tarsy_masking.masker import Masker
from tarsy_testing import linear_time

# A clock says nothing below these seconds. Another round of masking takes twice as long as it should.
assert_linear = partial(linear_time.assert_linear, small=12_000, least_seconds=0.014, tries=6)

MASKER = Masker.default(b"a key of thirty-two bytes or more").for_session("session-1").with_rules({"all"}, ())

HOSTILE = {
    "names": "password=",
    "names of every kind": "password:token=secret api-key ",
    "names and long words": "api key aaaaaaaaaaaaaaaaaaaa ",
    "names that are announced": "the token is a ",
    "quotes": 'token":"',
    "opened quotes": 'password="a ',
    "backslashes before quotes": 'password=\\\\\\"',
    "addresses": "a://b:c@",
    "addresses begun": "postgres://a:b",
    "keys": "-----BEGIN PRIVATE KEY-----\n",
    "keys with headers": "-----BEGIN PRIVATE KEY-----\na: b\n",
    "tails": "QUJDQUJDQUJDQUJDQUJDQUJD\n-----END PRIVATE KEY-----",
    "base64": "QUJDQUJDQUJDQUJDQUJDQUJD ",
    "base64 in one word": "QUJD",
    "Secrets": "kind: Secret\ndata:\n  a: b\n",
    "Secrets in a list": "- kind: Secret\n  data:\n    a: b\n",
    "Secrets without data": "kind: Secret\n",
    "kinds at the end": "- a: b\nkind: Secret\n",
    "data without an end": "kind: Secret\ndata:\n\n",
    "deeper": "- - ",
    "deeper with spaces": "-  -   ",
    "a diff": "@@ -1 +1 @@\n+kind: Secret\n-data:\n+  a: b\n",
    "braces": '{"kind":"Secret","data":{',
    "braces only": '{"a":',
    "brackets": "[",
    "mentions": '"kind":"Secret" ',
    "half": '{"kind":"Secret"\n',
    "objects": '{"kind":"Secret","data":{"a":"b"}} ',
    "objects in lines": '{\n"kind":"Secret",\n"data":{"a":"b"}\n}\n',
    "strings in strings": '"{\\"kind\\":\\"Secret\\",\\"data\\":{\\"a\\":\\"b\\"}}" ',
    "escaped mentions": '\\"kind\\":\\"Secret\\" ',
    "backslashes": '\\\\"kind\\\\":\\\\"Secret\\\\"',
    "backslashes only": "\\",
    "flags": "--password-token ",
    "spaces": "name: TOKEN\n ",
    "blanks": " ",
    "lines": "\n",
    "blocks": "password: |\n  ",
    "values": "password=a;b=",
    "stars": "password=*",
    "cookies": "Set-Cookie: a=b; ",
    "commands": "mysql -a ",
    "pairs in a list": '[["token",',
    "values before names": "value: a\n",
    "values in one line": '"value": "a", ',
    "variables": 'variable "token" {\n a = b\n',
    "keys cut off": "-----BEGIN PRIVATE KEY-----\nabcd\n",
    "short lines of a key": "abcd\n",
    "pipes": "echo a | ",
    "htpasswd": "htpasswd -b ",
    "users of redis": "SETUSER a >",
    "encoded addresses": "%3A%2F%2Fa%3Ab",
    "ciphers": "crypt(a, ",
    "users": "user=a ",
    "manifests in strings": '"kind: Secret\\ndata:\\n  a: b\\n',
    "dots": "eyJaaaaaaaaaa.",
    "encoded names": "cGFzc3dvcmQ9",
    "encoded logins": "a2ltOkh1bnRlcjIwMDA= ",
    "encoded again and again": "Wldac1dscG9ZbTFXZVdSSFZqQmFSMWw2V21reGJHUkhWbms9",
    "mails": "a@b.c-",
}
SAMPLES = {pattern.name: "".join((*pattern.samples, *pattern.ordinary)) for pattern in PATTERNS}
BEGUN = {f"begun {p.name}": "".join(text[: len(text) * 2 // 3] for text in p.samples) for p in PATTERNS}
UNITS = HOSTILE | SAMPLES | BEGUN


@pytest.mark.timing
@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS.keys())
def test_repeated_text_takes_linear_time(unit: str) -> None:
    assert_linear(lambda size: MASKER.mask(unit * (size // len(unit) + 1)))


@pytest.mark.timing
@pytest.mark.parametrize("unit", HOSTILE.values(), ids=HOSTILE.keys())
def test_repeated_text_in_a_secret_takes_linear_time(unit: str) -> None:
    assert_linear(lambda size: MASKER.mask("kind: Secret\ndata:\n  a: |\n    " + unit * (size // len(unit) + 1)))
    assert_linear(lambda size: MASKER.mask('{"kind": "Secret", "data": {"a": "' + unit * (size // len(unit) + 1)))


NESTED: dict[str, Callable[[int], str]] = {
    "deep JSON": lambda size: '{"a":' * (size // 8) + '{"kind":"Secret","data":{"a":"b"}}' + "}" * (size // 8),
    "deep JSON of Secrets": lambda size: (
        '{"kind":"Secret","data":{"a":"b"},"c":' * (size // 40) + "1" + "}" * (size // 40)
    ),
    "deep YAML": lambda size: "".join(f"{' ' * depth}a:\n" for depth in range(int((2 * size) ** 0.5))),
    "deep YAML of Secrets": lambda size: "".join(
        f"{' ' * depth}kind: Secret\n{' ' * depth}a:\n" for depth in range(int(size**0.5))
    ),
    "deep YAML, kinds behind": lambda size: (
        "".join(f"{' ' * depth}a:\n" for depth in range(int(size**0.5)))
        + "".join(f"{' ' * depth}kind: Secret\n" for depth in reversed(range(int(size**0.5))))
    ),
    "one long line before": lambda size: "x" * size + "\n" + "  kind: Secret\n" * 100,
    "one long line, many secrets": lambda size: "x " * (size // 4) + "password=hunter2 " * (size // 34),
    "JSON in JSON": lambda size: quoted('{"kind":"Secret","data":{"a":"b"}}' * (size // 300)),
}


def quoted(text: str) -> str:
    for _ in range(3):
        text = '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return text


@pytest.mark.timing
@pytest.mark.parametrize("make", NESTED.values(), ids=NESTED.keys())
def test_nested_text_takes_linear_time(make: Callable[[int], str]) -> None:
    assert_linear(lambda size: MASKER.mask(make(size)))


@pytest.mark.timing
def test_values_of_json_take_linear_time() -> None:
    def many(size: int) -> JsonValue:
        return [{"name": "DB_PASSWORD", "value": "a"}, {"kind": "Secret", "data": {"a": "b"}}] * (size // 200)

    assert_linear(lambda size: MASKER.mask_json(many(size)))


@pytest.mark.timing
def test_findings_take_linear_time() -> None:
    assert_linear(lambda size: MASKER.findings("password=hunter2 é " * (size // 18)))
