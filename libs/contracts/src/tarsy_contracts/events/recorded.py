"""A record of the session log as a reader meets it, and the codec of message bodies."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from pydantic import ValidationError

from tarsy_contracts.errors import ContractError
from tarsy_contracts.events import Event
from tarsy_contracts.wire.envelope import Envelope
from tarsy_contracts.wire.message import Message
from tarsy_contracts.wire.upcasting import MissingUpcasterError, upcast


class UnknownTypeError(ContractError, LookupError):
    """A message of a type or version that this code does not know. The operator updates this service."""


class UnreadableValueError(ContractError, ValueError):
    """A message of a known type whose body does not fit it. The caller buries the record."""


@dataclass(frozen=True, slots=True)
class RecordedEvent:
    """An accepted event. `event` is None when this code does not know its type: the chain moves on all the same.

    `appended_at` is the broker's stamp: what deadlines count from.
    """

    envelope: Envelope
    event: Event | None
    partition: int
    offset: int
    appended_at: datetime

    @property
    def session_id(self) -> str:
        return self.envelope.subject

    @property
    def number(self) -> int:
        return self.envelope.sequence or 0


def decode[M: Message](kinds: Mapping[str, type[M]], envelope: Envelope, value: bytes | None) -> M:
    """Bodies of earlier versions are upcast first. Raises UnknownTypeError or UnreadableValueError."""
    kind = kinds.get(envelope.type)
    if kind is None or envelope.version > kind.version:
        raise UnknownTypeError(f"{envelope.type} version {envelope.version}")
    try:
        if envelope.version < kind.version:
            value = upcast(envelope.type, envelope.version, kind.version, value or b"")
        return kind.model_validate_json(value or b"")
    except MissingUpcasterError as problem:
        raise UnknownTypeError(str(problem)) from None
    except ValidationError as problem:
        first = problem.errors(include_url=False, include_input=False)[0]
        path = "/".join(str(part) for part in first["loc"])
        raise UnreadableValueError(f"{envelope.type}: {first['msg']} at /{path}") from None
    except ValueError:
        raise UnreadableValueError(f"{envelope.type}: not a JSON object at /") from None
