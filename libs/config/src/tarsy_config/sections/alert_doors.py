"""`alert_doors`: senders whose JSON has names of its own, each with an address (docs/how-to/send-alerts.md)."""

import re
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field

from tarsy_config.values import Name, Section, one_or_several, wrong

DOOR_NAME = re.compile(r"[A-Za-z0-9._-]{1,100}")
POINTER = re.compile(r"(?:/(?:[^~/]|~[01])*)+")


def door_name(name: str) -> str:
    """It is a part of an address."""
    if DOOR_NAME.fullmatch(name) is None or not name.strip("."):
        raise wrong("cannot name a door", "use letters, digits, dots, - and _")
    return name


def _require_pointer(text: str) -> str:
    if POINTER.fullmatch(text) is None:
        raise wrong("is not a JSON pointer", "write it as /alert/name, with ~1 for a slash and ~0 for ~")
    return text


def _normalize_words(value: object) -> object:
    """As YAML has them: `0` and `true`, too."""
    several = one_or_several(value)
    if not isinstance(several, list | tuple):
        return several
    return tuple(str(word).strip().lower() if isinstance(word, str | int | float) else word for word in several)


type DoorName = Annotated[str, AfterValidator(door_name)]
type Pointer = Annotated[str, AfterValidator(_require_pointer)]
type Pointers = Annotated[tuple[Pointer, ...], BeforeValidator(one_or_several)]
type Words = Annotated[tuple[str, ...], BeforeValidator(_normalize_words)]


class AlertDoor(Section):
    """The paths of the sender's fields. Well-known names are looked for besides.

    `identity`: what names an alert, all of it together. `resolved_when`: the values that say that it is over.
    `alert_type`: that of its alerts, unless the sender asks for another.
    """

    name: Pointers = ()
    severity: Pointers = ()
    identity: Pointers = ()
    starts_at: Pointers = ()
    ends_at: Pointers = ()
    runbook: Pointers = ()
    resolved_when: dict[Pointer, Words] = Field(default_factory=dict)
    alert_type: Name | None = None
