"""Masking of what a model did with tools of its provider: bounded first, and before anything is appended."""

from collections.abc import Iterable

from tarsy_contracts.native_calls import (
    MOST_CITATIONS,
    NativeCall,
    TextCitation,
    WebSource,
    bound_native_calls,
    key_of,
)
from tarsy_masking.masker import Masker


def mask_native_calls(calls: Iterable[NativeCall], masker: Masker) -> tuple[NativeCall, ...]:
    return tuple(_mask(call, masker) for call in bound_native_calls(calls))


def mask_native_call(call: NativeCall, masker: Masker) -> NativeCall:
    return mask_native_calls((call,), masker)[0]


def mask_citations(
    citations: Iterable[TextCitation], text: str, masked: str, masker: Masker
) -> tuple[TextCitation, ...]:
    """`masked`: the text as it is recorded. The sources are named as they are recorded, too."""
    kept = list(citations)[:MOST_CITATIONS]
    return tuple(
        TextCitation(
            at=_move(one.at, text, masked), sources=tuple(masker.mask(_recorded_key(key)) for key in one.sources)
        )
        for one in kept
    )


def _recorded_key(key: str) -> str:
    """Returns the key that the bounded source has."""
    is_address = "://" in key
    source = WebSource(url=key if is_address else "", title="" if is_address else key)
    found = [one for call in bound_native_calls((NativeCall(tool="", sources=(source,)),)) for one in call.sources]
    return key_of(found[0]) if found else ""


def _move(at: int, text: str, masked: str) -> int:
    """Returns the same place in the masked text, or the end of a line in which something was masked."""
    if text == masked:
        return at
    before, line = text[:at].count("\n"), len(text[:at]) - (text.rfind("\n", 0, at) + 1)
    lines, masked_lines = text.split("\n"), masked.split("\n")
    if len(lines) != len(masked_lines):
        return len(masked)
    start = sum(len(one) + 1 for one in masked_lines[:before])
    same = lines[before] == masked_lines[before]
    return start + (line if same else len(masked_lines[before]))


def _mask(call: NativeCall, masker: Masker) -> NativeCall:
    return call.model_copy(
        update={
            "tool": masker.mask(call.tool),
            "queries": tuple(map(masker.mask, call.queries)),
            "sources": tuple(WebSource(url=masker.mask(one.url), title=masker.mask(one.title)) for one in call.sources),
            "code": masker.mask(call.code),
            "language": masker.mask(call.language),
            "output": masker.mask(call.output),
            "outcome": masker.mask(call.outcome),
        }
    )
