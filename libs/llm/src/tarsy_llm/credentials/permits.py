"""Permits: what the headers of a request show, so that its server lets us in."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol


class Permit(Protocol):
    @property
    def secret(self) -> str | None:
        """Left out of every sentence."""
        ...

    def headers(self, address: str, sent: Mapping[str, str], body: bytes) -> Mapping[str, str]:
        """Headers beside those that are `sent`."""
        ...


type AskPermit = Callable[[], Awaitable[Permit]]
"""Raises LlmCallError."""


@dataclass(frozen=True, slots=True)
class HeaderPermit:
    """A key or a token in a header, behind `prefix`."""

    secret: str | None = field(repr=False)
    value: str = field(repr=False)
    header: str = "authorization"
    prefix: str = "Bearer "

    def headers(self, address: str, sent: Mapping[str, str], body: bytes) -> Mapping[str, str]:
        return {self.header: f"{self.prefix}{self.value}"}
