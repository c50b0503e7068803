"""Base of every message: a frozen model with a name on the wire."""

from typing import ClassVar

from pydantic import BaseModel, ConfigDict


class Value(BaseModel):
    """A frozen piece of a message. Unknown fields are ignored: a newer writer may know more than this reader."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Message(Value):
    """A value that travels on its own. `type` and `version` name it on the wire and never change for a class."""

    type: ClassVar[str]
    version: ClassVar[int] = 1

    @classmethod
    def dataschema(cls) -> str:
        return f"urn:tarsy:{cls.type}:{cls.version}"

    def to_bytes(self) -> bytes:
        return self.model_dump_json().encode()
