"""Kinds of wrong answers: what each makes of the right one, and what becomes of its call."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

type Spoil = Callable[[Any, str], bytes]
"""Of the id that was asked under, and the text of the right answer."""


@dataclass(frozen=True, slots=True)
class Kind:
    """`says`: of the reason that the model reads, or the whole text where the answer can be read after all."""

    spoil: Spoil
    outcome: Literal["ok", "tool_error"]
    says: str


def text(value: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": value}], "resultType": "complete"}


def _message(**fields: Any) -> bytes:
    return json.dumps(fields).encode()


def _answer(id: Any, said: str, **more: Any) -> bytes:
    return _message(**{"jsonrpc": "2.0", "id": id, "result": text(said), **more})


def _in_text(wrong: bytes) -> Spoil:
    return lambda id, said: _answer(id, "a#b").replace(b"#", wrong)


def _deep(levels: int) -> Spoil:
    nested = b'{"inner":' * levels + b"1" + b"}" * levels
    return lambda id, said: _answer(id, said).replace(
        b'"resultType"', b'"structuredContent":' + nested + b',"resultType"'
    )


def _deep_and_id_last(id: Any, said: str) -> bytes:
    return b'{"result":' + b"[" * 500 + b"]" * 500 + b',"jsonrpc":"2.0","id":%d}' % id


def _without(name: str) -> Spoil:
    def spoil(id: Any, said: str) -> bytes:
        fields = json.loads(_answer(id, said))
        del fields[name]
        return _message(**fields)

    return spoil


KINDS: dict[str, Kind] = {
    "surrogate_escape": Kind(_in_text(rb"\ud800"), "ok", "a\ufffdb"),
    "second_surrogate_alone": Kind(_in_text(rb"\udc00"), "ok", "a\ufffdb"),
    "surrogate_bytes": Kind(_in_text(b"\xed\xa0\x80"), "ok", "a\ufffd\ufffd\ufffdb"),
    "invalid_utf8": Kind(_in_text(b"\xff"), "ok", "a\ufffdb"),
    "string_id": Kind(lambda id, said: _answer(str(id), said), "ok", "right"),
    "float_id": Kind(lambda id, said: _answer(float(id), said), "ok", "right"),
    "deep": Kind(_deep(300), "tool_error", "nested too deeply"),
    "very_deep": Kind(_deep(200_000), "tool_error", "nested too deeply"),
    "deep_and_id_last": Kind(_deep_and_id_last, "tool_error", "nested too deeply"),
    "other_id": Kind(lambda id, said: _answer(987_654_321, said), "tool_error", "under the id 987654321"),
    "other_string_id": Kind(lambda id, said: _answer("abc", said), "tool_error", "under an id that was never sent"),
    "null_id": Kind(lambda id, said: _answer(None, said), "tool_error", "under no id"),
    "no_id": Kind(_without("id"), "tool_error", "under no id"),
    "no_result": Kind(_without("result"), "tool_error", "neither a result nor an error"),
    "result_of_null": Kind(lambda id, said: _answer(id, said, result=None), "tool_error", "result is no object"),
    "result_of_text": Kind(lambda id, said: _answer(id, said, result=said), "tool_error", "result is no object"),
    "older_version": Kind(lambda id, said: _answer(id, said, jsonrpc="1.0"), "tool_error", "not JSON-RPC 2.0"),
    "no_version": Kind(_without("jsonrpc"), "tool_error", "not JSON-RPC 2.0"),
    "error_without_code": Kind(
        lambda id, said: _message(jsonrpc="2.0", id=id, error={"message": "no"}), "tool_error", "its error has no code"
    ),
    "error_of_no_call": Kind(
        lambda id, said: _message(jsonrpc="2.0", id=None, error={"code": -32700, "message": "what was that?"}),
        "tool_error",
        "what was that?",
    ),
    "half": Kind(lambda id, said: _answer(id, said)[:60], "tool_error", "no JSON"),
    "batch": Kind(lambda id, said: b"[" + _answer(id, said) + b"]", "tool_error", "in a batch"),
}
