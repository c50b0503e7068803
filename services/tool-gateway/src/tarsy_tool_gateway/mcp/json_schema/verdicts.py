"""Types of a schema check and its verdict."""

from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from tarsy_tool_gateway.errors import ToolGatewayError

type Path = tuple[str | int, ...]

MOST_SHOWN = 500


class CheckAbortedError(ToolGatewayError):
    """The check would take too long. The caller leaves the check to the server."""


class Judgement(Enum):
    """UNKNOWN: the schema says something that only the server can judge."""

    FITS = "fits"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Misfit:
    """`text` has a `{}` for each of `values`. It is written out only for the one misfit that somebody reads."""

    text: str
    values: tuple[object, ...]
    path: Path

    @property
    def message(self) -> str:
        pointer = "/".join(str(part) for part in self.path)
        return self.text.format(*map(_short_repr, self.values)) + (f" (at /{pointer})" if pointer else "")


type Verdict = Judgement | Misfit


class SchemaCheck(Protocol):
    """One check of one value."""

    def spend(self, steps: int = 1) -> None:
        """Raises CheckAbortedError when there are none left."""
        ...

    def check(self, schema: object, value: object, path: Path) -> Verdict: ...

    def resolve_reference(self, reference: object) -> object | None:
        """The subschema that a reference names; None when it is not in the same document."""
        ...

    def matches(self, pattern: object, text: str) -> bool | None:
        """None of a pattern that cannot be judged here."""
        ...


def _short_repr(value: object) -> str:
    text = repr(value)
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}…"
