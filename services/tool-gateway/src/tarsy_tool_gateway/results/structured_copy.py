"""Whether the texts of a result say what its structured content says. Pure."""

import json
import re
from collections.abc import Iterator, Sequence

MOST_COMPARED = 20_000
"""Names and values that are looked for in the texts; more are shown once too often rather than lost."""
MOST_SEARCHED = 50_000_000
"""Characters that are searched for values of several words, all together."""
MOST_AT_ONCE = 64 * 1024
"""Characters that are read and compared within some milliseconds."""
WORD = re.compile(r"[^\s\"'`{}\[\](),|=]+")
WRAPPED = "result"
"""Name under which SDKs put what is no object."""


def is_long(*values: object) -> bool:
    """Whether values of JSON take so long to compare that it belongs into a thread."""
    size, left = 0, list(values)
    while left and size <= MOST_AT_ONCE:
        match left.pop():
            case str() as text:
                size += len(text)
            case dict() as named:
                size += sum(map(len, named))
                left += named.values()
            case list() as items:
                left += items
            case _:
                pass
        size += 1
    return size > MOST_AT_ONCE


def is_copy(structured: object, texts: Sequence[str]) -> bool:
    """The texts may have the value as JSON, as one text per list item, or as names and values, as in a table or in
    YAML.
    """
    texts = [text for text in texts if text and not text.isspace()]
    if not texts:
        return False
    inner = structured.get(WRAPPED) if isinstance(structured, dict) and len(structured) == 1 else structured
    return any(
        _is_same_json(form, structured) or _is_same_json(form, inner) for form in _possible_meanings(texts)
    ) or _is_contained(structured, texts)


def _possible_meanings(texts: Sequence[str]) -> Iterator[object]:
    """Yields what the texts may mean, the usual first."""
    read, whole = [], "\n".join(texts)
    for text in texts:
        read.append(_json_or_text(text))
        yield read[-1]
    yield from (read, _json_or_text(whole), whole, list(texts))


def _is_same_json(one: object, other: object) -> bool:
    """True is no 1."""
    return one == other and json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def _json_or_text(text: str) -> object:
    try:
        found: object = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return found


def _is_contained(structured: object, texts: Sequence[str]) -> bool:
    whole = "\n".join(texts).casefold()
    words = {cleaned for word in WORD.findall(whole) for cleaned in (word, word.strip(".,;:!?"))}
    leaves = {leaf for leaf, _ in zip(_list_leaves(structured), range(MOST_COMPARED + 1), strict=False)}
    searched = [leaf for leaf in leaves - words if " " in leaf]
    if len(leaves) > MOST_COMPARED or len(searched) * len(whole) > MOST_SEARCHED:
        return False
    return len(leaves - words) == len(searched) and all(leaf in whole for leaf in searched)


def _list_leaves(value: object) -> Iterator[str]:
    match value:
        case dict():
            for name, inner in value.items():
                yield str(name).casefold()
                yield from _list_leaves(inner)
        case list():
            for inner in value:
                yield from _list_leaves(inner)
        case str():
            yield " ".join(value.casefold().split()) if value.strip() else '""'
        case _:
            yield json.dumps(value)
