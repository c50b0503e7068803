"""Images that the engine builds once for each state of their sources, and that are kept as archives."""

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from tarsy_embedded.lock import one_at_a_time
from tarsy_ground.engine import Engine

SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class KeptImages:
    """`kind` begins the name of the archive. `state` is another one where the sources are others."""

    kind: str
    state: str
    names: tuple[str, ...]
    build: Callable[[Engine], None]

    def archive(self, cache: Path, engine: Callable[[], Engine]) -> Path:
        """An engine is asked for where it has to be built; then archives of other states are removed."""
        archive = cache / f"{self.kind}-{self.state}.tar"
        with one_at_a_time(cache / f"{self.kind}.lock"):
            if not archive.is_file():
                self._make(engine(), archive)
        return archive

    def _make(self, engine: Engine, archive: Path) -> None:
        self.build(engine)
        for other in archive.parent.glob(f"{self.kind}-*.tar"):
            other.unlink()
        unfinished = archive.with_suffix(".unfinished")
        engine.demand("save", "--output", str(unfinished), *self.names, seconds=SECONDS)
        unfinished.replace(archive)


def state_of(*texts: str, files: Iterable[Path] = ()) -> str:
    digest = hashlib.sha256(" ".join(texts).encode())
    for file in sorted(files):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:12]
