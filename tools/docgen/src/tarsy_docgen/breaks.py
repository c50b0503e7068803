"""Breaking changes between two schemas. Pure.

Old and new code run side by side, and the log is kept for ever. Readers of either schema meet values of the other under
the same version. The values that a position accepts may therefore neither shrink nor grow. Only new optional fields may
come, as readers skip the fields that they do not know.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field

from pydantic import JsonValue

from tarsy_docgen.schema import Schema, alternatives, default, elements, fields, list_allowed, list_required, words

ANNOTATIONS = frozenset(
    {"title", "description", "examples", "deprecated", "$comment", "$id", "$schema", "$defs", "discriminator"}
)
"""Say nothing of which values are accepted. A discriminator neither: unions are compared member by member."""
COMPARED = frozenset(
    {"type", "enum", "const", "properties", "required", "additionalProperties", "items", "prefixItems", "default"}
)


@dataclass(frozen=True, slots=True)
class Break:
    """`place` is the path to the field: `/alert/title`; `[]` stands for the items of a list, `*` for those of a map."""

    place: str
    what: str

    def __str__(self) -> str:
        return f"{self.place or '/'} {self.what}"


def breaks(old: Schema, new: Schema) -> list[Break]:
    """Empty when readers and writers of both can work with each other."""
    return list(dict.fromkeys(_Comparison(old, new).compare(old, new, "")))


@dataclass(slots=True)
class _Comparison:
    """`under_way` ends what a definition that contains itself would make endless."""

    old: Schema
    new: Schema
    under_way: set[str] = field(default_factory=set)

    def compare(self, old: JsonValue | Schema, new: JsonValue | Schema, path: str) -> list[Break]:
        pair = json.dumps([old, new], sort_keys=True)
        if pair in self.under_way:
            return []
        self.under_way.add(pair)
        try:
            before, after = list(alternatives(old, self.old)), list(alternatives(new, self.new))
            if len(before) == len(after) == 1:
                return list(self._one(before[0], after[0], path))
            return list(self._union(before, after, path))
        finally:
            self.under_way.discard(pair)

    def _union(self, before: list[Schema], after: list[Schema], path: str) -> Iterator[Break]:
        """Each member needs its counterpart; the order means nothing."""
        gone, come = self._unmatched(before, after)
        for old in list(gone):
            # The same kind of value on both sides: what changed in it says more than that it is another.
            similar = next((new for new in come if new.get("type") == old.get("type")), None)
            if similar is not None:
                gone.remove(old)
                come.remove(similar)
                yield from self._one(old, similar, path)
        for old in gone:
            yield Break(path, f"cannot be {words(old)} any longer: new readers refuse old records")
        for new in come:
            yield Break(path, f"can be {words(new)} now: older readers of this version refuse it")

    def _unmatched(self, before: list[Schema], after: list[Schema]) -> tuple[list[Schema], list[Schema]]:
        gone, come = [], list(after)
        for old in before:
            candidates = sorted(come, key=lambda new: new != old)
            fitting = next((new for new in candidates if not list(self._one(old, new, ""))), None)
            if fitting is None:
                gone.append(old)
            else:
                come.remove(fitting)
        return gone, come

    def _one(self, old: Schema, new: Schema, path: str) -> Iterator[Break]:
        if old.get("type") != new.get("type"):
            yield Break(path, f"was {words(old)} and is {words(new)} now")
            return
        yield from _values(old, new, path)
        yield from self._fields(old, new, path)
        yield from self._other_fields(old, new, path)
        yield from self._items(old, new, path)
        for keyword in sorted((old.keys() | new.keys()) - ANNOTATIONS - COMPARED):
            yield from _same(keyword, old, new, path)

    def _fields(self, old: Schema, new: Schema, path: str) -> Iterator[Break]:
        before, after = fields(old), fields(new)
        for name, was in before.items():
            inside = f"{path}/{name}"
            if name not in after:
                yield Break(inside, "is gone: older readers of this version would miss it")
                continue
            match name in list_required(old), name in list_required(new):
                case False, True:
                    yield Break(inside, "is required now: records written before may not have it")
                case True, False:
                    yield Break(inside, "is optional now: older readers of this version refuse a record without it")
                case False, False:
                    yield from self._default(was, after[name], inside)
                case _:
                    pass
            yield from self.compare(was, after[name], inside)
        for name in sorted(after.keys() - before.keys()):
            if name in list_required(new):
                yield Break(f"{path}/{name}", "is new and required: records written before do not have it")
            elif "additionalProperties" in old:
                yield Break(f"{path}/{name}", "has a type now: before, anything could stand under this name")

    def _default(self, old: JsonValue, new: JsonValue, path: str) -> Iterator[Break]:
        was, now = default(old, self.old), default(new, self.new)
        if was != now:
            yield Break(path, f"had {was} as default, and has {now} now: records without it change their meaning")

    def _other_fields(self, old: Schema, new: Schema, path: str) -> Iterator[Break]:
        """Maps have the keyword; our messages do not, which is not the same as one that lets anything in."""
        key = "additionalProperties"
        match key in old, key in new:
            case True, True:
                yield from self.compare(old[key], new[key], f"{path}/*")
            case True, False:
                yield Break(path, "said which fields of any name it takes, and skips them now")
            case False, True:
                yield Break(path, "skipped the fields that it does not name, and says which it takes now")
            case _:
                pass

    def _items(self, old: Schema, new: Schema, path: str) -> Iterator[Break]:
        yield from self.compare(old.get("items", True), new.get("items", True), f"{path}/[]")
        first, second = elements(old, "prefixItems"), elements(new, "prefixItems")
        if len(first) != len(second):
            yield Break(path, f"had {len(first)} items of a fixed meaning, and has {len(second)} now")
        for index, (was, now) in enumerate(zip(first, second, strict=False)):
            yield from self.compare(was, now, f"{path}/{index}")


def _values(old: Schema, new: Schema, path: str) -> Iterator[Break]:
    match list_allowed(old), list_allowed(new):
        case None, None:
            return
        case None, _:
            yield Break(path, "takes only some values now: new readers refuse old records with others")
        case _, None:
            yield Break(path, "takes any value now: older readers of this version know only some")
        case list(was), list(now):
            before, after = [[json.dumps(value) for value in values] for values in (was, now)]
            for value in before:
                if value not in after:
                    yield Break(path, f"cannot be {value} any longer: new readers refuse old records")
            for value in after:
                if value not in before:
                    yield Break(path, f"can be {value} now: older readers of this version refuse it")


def _same(keyword: str, old: Schema, new: Schema, path: str) -> Iterator[Break]:
    """A constraint may be neither loosened nor tightened; of a keyword that is not known here, nobody can tell."""
    was, now = _dump(old, keyword), _dump(new, keyword)
    if was != now:
        yield Break(path, f"had {was} as {keyword}, and has {now} now")


def _dump(schema: Schema, keyword: str) -> str:
    return json.dumps(schema[keyword], sort_keys=True) if keyword in schema else "nothing"
