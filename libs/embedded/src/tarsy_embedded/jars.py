"""Kafka's jars: fetched once, compared with checksums of ours, kept outside the checkout.

`jars.sha256` was made from `jgo.resolve("org.apache.kafka:kafka_2.13:4.3.1+org.slf4j:slf4j-simple:1.7.36")` without
the ten jars that a broker does not need. It names every jar, so nothing is left to resolve when it is fetched.
"""

import hashlib
import os
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from tarsy_embedded.disk import require_space
from tarsy_embedded.errors import ChecksumMismatchError, NoDownloadError
from tarsy_embedded.lock import one_at_a_time
from tarsy_embedded.progress import Progress

if TYPE_CHECKING:
    from jgo.maven import MavenContext

VERSION = "4.3.1"
_LIST = files("tarsy_embedded") / "jars.sha256"
_DOWNLOADS_AT_ONCE = 4


@dataclass(frozen=True)
class Jar:
    group: str
    artifact: str
    version: str
    sha256: str

    @property
    def file_name(self) -> str:
        return f"{self.artifact}-{self.version}.jar"


def default_cache_dir() -> Path:
    configured = os.environ.get("TARSY_CACHE_DIR")
    return Path(configured) if configured else Path.home() / ".cache" / "tarsy"


def kafka_jars(cache_dir: Path, progress: Progress) -> list[Path]:
    """The class path, each jar of it verified; fetches what the cache does not have."""
    folder = jars_folder(cache_dir)
    if not folder.is_dir():
        cache_dir.mkdir(parents=True, exist_ok=True)
        with one_at_a_time(cache_dir / "download.lock"):
            if not folder.is_dir():
                progress(f"Downloading Apache Kafka {VERSION} (40 MB, only once)")
                _download_all(folder)
    return [_require_checksum(folder / jar.file_name, jar, folder) for jar in read_jar_list()]


def class_path(cache_dir: Path) -> list[Path]:
    """The present or future paths of the jars, without a look at them."""
    folder = jars_folder(cache_dir)
    return [folder / jar.file_name for jar in read_jar_list()]


def jars_folder(cache_dir: Path) -> Path:
    # Named by the list: another list is another folder, and an older checkout keeps its own.
    return cache_dir.absolute() / f"kafka-{VERSION}-{hashlib.sha256(_LIST.read_bytes()).hexdigest()[:12]}"


def read_jar_list() -> list[Jar]:
    return [_parse_jar(line) for line in _LIST.read_text(encoding="ascii").splitlines()]


def _parse_jar(line: str) -> Jar:
    sha256, coordinate = line.split()
    group, artifact, version = coordinate.split(":")
    return Jar(group, artifact, version, sha256)


def _download_all(folder: Path) -> None:
    # Here, because it brings an HTTP client of its own, which `tarsy up` would hold as long as it runs.
    from jgo.maven import MavenContext

    require_space(folder.parent)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix="download-") as work:
        repository, complete = Path(work, "repository"), Path(work, "jars")
        complete.mkdir()
        try:
            with ThreadPoolExecutor(_DOWNLOADS_AT_ONCE) as pool:
                fetched = list(pool.map(partial(_fetch_jar, MavenContext(repo_cache=repository)), read_jar_list()))
        # Everything that requests raises is an OSError; jgo raises RuntimeError when no repository has the jar.
        except (OSError, RuntimeError) as error:
            raise NoDownloadError(folder, type(error).__name__) from error
        for jar, path in zip(read_jar_list(), fetched, strict=True):
            _require_checksum(path, jar, folder).rename(complete / jar.file_name)
        complete.rename(folder)


def _fetch_jar(context: "MavenContext", jar: Jar) -> Path:
    path: Path = context.project(jar.group, jar.artifact).at_version(jar.version).artifact().resolve()
    return path


def _require_checksum(path: Path, jar: Jar, folder: Path) -> Path:
    try:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        digest = "missing"
    if digest != jar.sha256:
        raise ChecksumMismatchError(jar.file_name, folder)
    return path
