"""Kubernetes Secrets in text that is JSON, or has JSON in it."""

import json
import re

from tarsy_masking.json_value import JsonValue
from tarsy_masking.kubernetes_objects import MASKED_DATA, holds_secrets, lists_secrets, without_data
from tarsy_masking.patterns import compile_regex

_MENTION = compile_regex(r'\\*"kind\\*"\s*:\s*\\*"Secret(?:List)?\\*"')
_OBJECT_START = re.compile(r"^[ \t]*([\[{])", re.MULTILINE)
# For JSON that cannot be parsed (cut off, or quoted inside other text): all data in it goes, a ConfigMap's too.
_DATA = compile_regex(r'((\\*")(?:data|stringData)\\*"\s*:\s*)\{(?:[^{}"\\]|"(?:[^"\\]|\\.)*"?|\\+"?)*\}?')
_DATA_MASKED = rf"\1\2{MASKED_DATA}\2".encode()
# Each failed attempt may read to the end of the text.
_ATTEMPTS = 8


def mask_json_secrets(text: str) -> str:
    if not _mentions_secret(text):
        return text
    pieces: list[str] = []
    end = 0
    for start, stop, value in _json_in(text):
        pieces += (_without_any_data(text[end:start]), _masked_source(text[start:stop], value))
        end = stop
    return "".join((*pieces, _without_any_data(text[end:])))


def _mentions_secret(text: str) -> bool:
    return "Secret" in text and _MENTION.search(text.encode()) is not None


def _json_in(text: str) -> list[tuple[int, int, JsonValue]]:
    """Every JSON value that begins a line, with the place where it stands."""
    found: list[tuple[int, int, JsonValue]] = []
    decoder = json.JSONDecoder()
    failures = end = 0
    for match in _OBJECT_START.finditer(text):
        if match.start(1) < end:
            continue
        try:
            value, end = decoder.raw_decode(text, match.start(1))
        except ValueError:
            failures += 1
            if failures == _ATTEMPTS:
                break
        else:
            found.append((match.start(1), end, value))
    return found


def _masked_source(source: str, value: JsonValue) -> str:
    """The source itself where nothing was masked: its form is somebody's, and may matter."""
    masked = _mask(value, inside_list=False)
    if masked == value:
        return source
    if "\n" in source:
        return json.dumps(masked, indent=2, ensure_ascii=False)
    return json.dumps(masked, ensure_ascii=False, separators=None if '": ' in source else (",", ":"))


def _mask(value: JsonValue, *, inside_list: bool) -> JsonValue:
    if isinstance(value, str):
        return mask_json_secrets(value)
    if isinstance(value, list):
        return [_mask(item, inside_list=inside_list) for item in value]
    if not isinstance(value, dict):
        return value
    body = without_data(value) if holds_secrets(value, inside_list=inside_list) else value
    inside = inside_list or lists_secrets(value)
    return {key: _mask(item, inside_list=inside) for key, item in body.items()}


def _without_any_data(text: str) -> str:
    if not _mentions_secret(text):
        return text
    masked: bytes = _DATA.sub(_DATA_MASKED, text.encode())
    return masked.decode()
