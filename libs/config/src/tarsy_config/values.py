"""The kinds of values that the configuration uses, and how a model says what is wrong with one."""

import re
from collections.abc import Iterable
from typing import Annotated, Any, Literal
from urllib.parse import SplitResult, urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticCustomError, PydanticKnownError

from tarsy_contracts.builtin_tools import OWN_SERVER
from tarsy_contracts.chain import CONTROLLERS

WRONG = "wrong"
DEFAULT_ALERT_TYPE = "kubernetes"
PARTS = re.compile(r"(?P<number>\d+(?:\.\d+)?)(?P<unit>ms|s|m|h)")
SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
STRATEGIES = {name.replace("_", "-"): name for name in CONTROLLERS if name != "single_shot"}
"""Controllers by how tarsy.yaml names them. Asking only once follows from other settings."""
SERVER_ID = re.compile(r"[A-Za-z0-9]+(?:[_-][A-Za-z0-9]+)*")


class Section(BaseModel):
    """A part of the configuration: frozen, and it knows all its keys."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


def wrong(problem: str, remedy: str, *, key: str | None = None) -> PydanticCustomError:
    """For validators to raise. `key` names the key of the section whose line is meant.

    Never put a value into the sentences: it may be a secret.
    """
    context: dict[str, Any] = {"problem": problem, "remedy": remedy, "key": key}
    return PydanticCustomError(WRONG, "{problem}; {remedy}", context)


def seconds(value: object) -> float:
    """`90`, `"60s"`, `"5m"`, `"1m30s"` in seconds."""
    if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
        return float(value)
    parts = list(PARTS.finditer(value)) if isinstance(value, str) else []
    found = sum(float(part["number"]) * SECONDS[part["unit"]] for part in parts)
    if not parts or "".join(part[0] for part in parts) != value or found <= 0:
        raise wrong("is not a duration", 'write seconds, or such as "60s", "5m", "1m30s"')
    return found


def one_or_several(value: object) -> object:
    """A list may be written as its only item."""
    return value if isinstance(value, list | tuple) else (value,)


def to_sections(value: object, key: str) -> object:
    """A list of sections from one of sections or names: a name stands for a section that has only that `key`."""
    if not isinstance(value, list | tuple):
        return value
    return tuple({key: item} if isinstance(item, str) else item for item in value)


def web_address(value: str, remedy: str) -> SplitResult:
    """The parts of an http(s) address. Raises the mistake that `remedy` mends."""
    try:
        parts = urlsplit(value)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise wrong("is not an address", remedy)
    return parts


def server_id(name: str) -> str:
    """Models call a tool `server__tool`: two underscores in the server's name would be read as the end of it."""
    if SERVER_ID.fullmatch(name) is None:
        raise wrong("cannot name a server", "use letters and digits, with single - or _ between them")
    if name == OWN_SERVER:
        raise wrong("names the tools of the tool gateway itself", "choose another name")
    return name


def strategy(value: object) -> object:
    """`native-thinking` of the Python TARSy becomes function-calling: every provider thinks by itself today."""
    return "function-calling" if value == "native-thinking" else value


def one_of(names: Iterable[str]) -> AfterValidator:
    """For names out of a table that grows."""
    known = tuple(names)

    def check(name: str) -> str:
        if name not in known:
            *others, last = (repr(one) for one in known)
            raise PydanticKnownError("literal_error", {"expected": f"{', '.join(others)} or {last}"})
        return name

    return AfterValidator(check)


def deduplicate_servers(names: tuple[str, ...] | None) -> tuple[str, ...] | None:
    """An empty list of servers says nothing, as in Go TARSy: it takes none away."""
    return tuple(dict.fromkeys(names)) if names else None


type Seconds = Annotated[float, BeforeValidator(seconds)]
type ServerId = Annotated[str, AfterValidator(server_id)]
type Positive = Annotated[int, Field(ge=1)]
type Name = Annotated[str, Field(min_length=1)]
type Servers = Annotated[tuple[Name, ...] | None, AfterValidator(deduplicate_servers)]
type Backend = Literal["google-native", "langchain"]
type Strategy = Annotated[str, BeforeValidator(strategy), one_of(STRATEGIES)]
