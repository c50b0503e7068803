"""Media types of request bodies and records, and those that a door takes."""

from collections.abc import Mapping
from dataclasses import dataclass

from tarsy_service.http.problems import ProblemError

UNSAID = ("", "application/x-www-form-urlencoded")
"""Types of senders that set none themselves; the second is that of `curl -d`."""


@dataclass(frozen=True, slots=True)
class MediaTypes:
    """`suffix` stands for all types that end with it, `prefix` for all that begin with it.

    `unsaid` types are accepted too, and not named in refusals. A page can send them to any host without a preflight
    request, so JSON is not accepted under them.
    """

    names: tuple[str, ...]
    suffix: str | None = None
    prefix: str | None = None
    unsaid: tuple[str, ...] = ()

    def include(self, media_type: str) -> bool:
        return (
            media_type in self.names
            or (self.suffix is not None and media_type.endswith(self.suffix))
            or (self.prefix is not None and media_type.startswith(self.prefix))
        )

    def require(self, media_type: str) -> None:
        """Raises ProblemError. The type that was sent is not repeated."""
        if media_type not in self.unsaid and not self.include(media_type):
            known = ", ".join(self.names)
            raise ProblemError(415, "Unsupported Media Type", f"This door takes {known}. Name one in Content-Type.")


JSON = MediaTypes(("application/json",), suffix="+json")
TEXT = MediaTypes(("text/plain", "application/octet-stream"), prefix="text/", unsaid=UNSAID)


def media_type_of(headers: Mapping[str, str]) -> str:
    """In lower case and without parameters; empty where none is said. `headers` with names in lower case."""
    return headers.get("content-type", "").partition(";")[0].strip().lower()
