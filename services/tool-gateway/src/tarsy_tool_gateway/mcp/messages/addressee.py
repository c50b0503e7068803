"""Which call a message answers, found at its beginning or its end, without reading what lies between. Pure."""

import re
from dataclasses import dataclass

from tarsy_tool_gateway.mcp.messages.json_reading import Raw

LOOKED_AT = 256
"""Bytes, at either end: servers write the id beside `jsonrpc`, before the result or after it."""
VERSION = rb'"jsonrpc"\s*:\s*"[^"]{0,8}"\s*'
ID = rb'"id"\s*:\s*"?(\d{1,18})(?:\.0)?"?\s*'
ID_FIRST = re.compile(rb"[\s\[]*\{\s*(?:" + VERSION + rb",\s*)?" + ID + rb'(?:[,}]|$)(?!\s*"method")')
ID_LAST = re.compile(
    rb",\s*(?:" + ID + rb"|" + VERSION + rb",\s*" + ID + rb"|" + ID + rb",\s*" + VERSION + rb")\}[\s\]]*$"
)
REQUEST = re.compile(rb"[\s\[]*\{\s*(?:" + VERSION + rb',\s*)?(?:"id"\s*:\s*[^,]{1,100},\s*)?"method"')
ANSWER = re.compile(
    rb"[\s\[]*\{\s*(?:" + VERSION + rb',\s*)?"(?:result|error)"\s*:|[\s\[]*\{\s*' + VERSION + rb',\s*"id"'
)


@dataclass(frozen=True, slots=True)
class Addressee:
    """`id`: the one that it seems to answer. `is_answer`: it is one, whatever else is wrong with it."""

    id: int | None
    is_answer: bool


def look_at(raw: Raw) -> Addressee:
    head, tail = bytes(raw[:LOOKED_AT]), bytes(raw[-LOOKED_AT:])
    if REQUEST.match(head):
        return Addressee(None, is_answer=False)
    found = ID_FIRST.match(head) or ID_LAST.search(tail)
    id = next((int(digits) for digits in found.groups() if digits), None) if found is not None else None
    return Addressee(id, is_answer=ANSWER.match(head) is not None)
