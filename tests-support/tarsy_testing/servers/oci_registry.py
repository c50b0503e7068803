"""A registry of OCI artifacts, in memory: what the OCI distribution specification says of a push and a pull."""

import hashlib
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import ClassVar
from urllib.parse import parse_qs, urlsplit

from tarsy_testing.servers.http_server import Quiet, serving

PATH = re.compile(r"/v2/(?P<name>.+)/(?P<kind>blobs/uploads|blobs|manifests)/(?P<reference>[^/?]*)")


@dataclass
class OciRegistry:
    """`blobs` by digest; `manifests` by repository and tag or digest, with their media types."""

    address: str = ""
    blobs: dict[str, bytes] = field(default_factory=dict)
    manifests: dict[tuple[str, str], tuple[str, bytes]] = field(default_factory=dict)

    def tags(self, repository: str) -> set[str]:
        return {tag for name, tag in self.manifests if name == repository and not tag.startswith("sha256:")}


@contextmanager
def oci_registry() -> Iterator[OciRegistry]:
    registry = OciRegistry()

    class OwnHandler(_Handler):
        kept = registry

    with serving(OwnHandler) as url:
        registry.address = urlsplit(url).netloc
        yield registry


class _Handler(Quiet):
    kept: ClassVar[OciRegistry]

    def do_GET(self) -> None:
        kind, content = self._find()
        if content is None:
            self._answer(404, {})
        else:
            self._answer(200, {"Content-Type": kind, "Docker-Content-Digest": _digest(content)}, content)

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_POST(self) -> None:
        """An upload begins. Its content comes whole, with PUT."""
        self._answer(202, {"Location": f"{self.path.rstrip('/')}/one"})

    def do_PUT(self) -> None:
        content, found = self.body(), PATH.match(self.path)
        assert found is not None, self.path
        digest = _digest(content)
        if found["kind"] == "manifests":
            for reference in (found["reference"], digest):
                self.kept.manifests[found["name"], reference] = (self.headers["Content-Type"], content)
        else:
            assert parse_qs(urlsplit(self.path).query)["digest"] == [digest]
            self.kept.blobs[digest] = content
        self._answer(201, {"Docker-Content-Digest": digest, "Location": self.path})

    def _find(self) -> tuple[str, bytes | None]:
        """With its media type."""
        found = PATH.match(self.path)
        if found is None:
            return "application/json", b"" if self.path.rstrip("/") == "/v2" else None
        if found["kind"] == "manifests":
            return self.kept.manifests.get((found["name"], found["reference"]), ("", None))
        return "application/octet-stream", self.kept.blobs.get(found["reference"])

    def _answer(self, status: int, headers: Mapping[str, str], content: bytes = b"") -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)


def _digest(content: bytes) -> str:
    return f"sha256:{hashlib.sha256(content).hexdigest()}"
