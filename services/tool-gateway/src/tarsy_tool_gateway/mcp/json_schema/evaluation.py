"""Evaluation of a value against a schema, in a bounded number of steps."""

from collections.abc import Mapping
from urllib.parse import unquote

from tarsy_tool_gateway.mcp.json_schema.applicators import APPLYING, Keyword
from tarsy_tool_gateway.mcp.json_schema.assertions import ASSERTING
from tarsy_tool_gateway.mcp.json_schema.patterns import Patterns
from tarsy_tool_gateway.mcp.json_schema.verdicts import CheckAbortedError, Judgement, Misfit, Path, Verdict

MOST_STEPS = 50_000
"""A step takes about a millionth of a second, on a slow machine two."""
DEEPEST = 100
"""Schemas within each other, references included: also what goes round ends here."""
KEYWORDS: Mapping[str, Keyword] = {**ASSERTING, **APPLYING}
UNJUDGED = frozenset(
    {
        "$anchor",
        "$dynamicAnchor",
        "$dynamicRef",
        "$recursiveRef",
        "additionalItems",
        "dependencies",
        "unevaluatedItems",
        "unevaluatedProperties",
    }
)
"""Keywords that change what is allowed, and that we do not judge."""
OTHERWISE = ("$id", "$schema")
"""A subschema that has one of these is a document of its own: its references, or all its words, mean other things."""


class Evaluation:
    """The check of one value. `root` is the whole document, within which references may point."""

    def __init__(self, root: object, patterns: Patterns, *, steps: int = MOST_STEPS) -> None:
        self._root = root
        self._patterns = patterns
        self._left = steps
        self._depth = 0

    def spend(self, steps: int = 1) -> None:
        self._left -= steps
        if self._left < 0:
            raise CheckAbortedError

    def check(self, schema: object, value: object, path: Path = ()) -> Verdict:
        """Raises CheckAbortedError."""
        self.spend()
        if schema is True:
            return Judgement.FITS
        if schema is False:
            return Misfit("{} is not allowed here", (value,), path)
        if not isinstance(schema, dict):
            return Judgement.UNKNOWN
        if schema is not self._root and any(word in schema for word in OTHERWISE):
            return Judgement.UNKNOWN
        self._depth += 1
        if self._depth > DEEPEST:
            raise CheckAbortedError
        verdict = self._check_keywords(schema, value, path)
        self._depth -= 1
        return verdict

    def _check_keywords(self, schema: Mapping[str, object], value: object, path: Path) -> Verdict:
        verdict = Judgement.FITS
        for word, operand in schema.items():
            self.spend()
            keyword = KEYWORDS.get(word)
            if keyword is not None:
                one = keyword(self, operand, value, schema, path)
                if isinstance(one, Misfit):
                    return one
            else:
                one = Judgement.UNKNOWN if word in UNJUDGED else Judgement.FITS
            if one is Judgement.UNKNOWN:
                verdict = one
        return verdict

    def resolve_reference(self, reference: object) -> object | None:
        if not isinstance(reference, str) or not (reference == "#" or reference.startswith("#/")):
            return None
        found = self._root
        for part in unquote(reference[1:]).split("/")[1:]:
            self.spend()
            name = part.replace("~1", "/").replace("~0", "~")
            if isinstance(found, dict) and name in found:
                found = found[name]
            elif isinstance(found, list) and name.isascii() and name.isdigit() and int(name[:9]) < len(found):
                found = found[int(name[:9])]
            else:
                return None
        return found

    def matches(self, pattern: object, text: str) -> bool | None:
        return self._patterns.matches(pattern, text, self.spend) if isinstance(pattern, str) else None
