"""Configuration that holds now, and its replacement while a service runs (docs/decisions/0026).

Polls the content of the files. A watch would miss changes of a ConfigMap, where only a link above the file is renamed.
Content that two polls in a row have found is loaded and checked as at the start. A thread does this, and the service
derives its own value there. With a mistake the old value stays; else one assignment replaces
it.
"""

import asyncio
import hashlib
import traceback
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Never

import structlog

from tarsy_config.config import Config
from tarsy_config.errors import InvalidConfigError
from tarsy_config.loading.load import MAIN, OTHERS, Check, load_config
from tarsy_config.loading.named_paths import name_price_lists, name_skill_folders
from tarsy_config.loading.price_lists import read_list
from tarsy_config.skills.content_digest import digest_of_folders
from tarsy_llm.scripted.script import InvalidScriptError

log = structlog.get_logger(__name__)

type Prepare[V] = Callable[[Config, V | None], V]
"""Makes the value of a service from a configuration and the value that holds (None at the start).

It changes nothing, as it may raise: InvalidConfigError, or InvalidScriptError.
"""


@dataclass(frozen=True, slots=True)
class ConfigSource:
    """Folder of the files, variables for their templates, and the checks that only some services need."""

    folder: Path
    environ: Mapping[str, str]
    also: Sequence[Check] = ()

    def load(self) -> Config:
        """Raises InvalidConfigError."""
        return load_config(self.folder, self.environ, also=self.also)

    def digest(self) -> bytes:
        """Digest of the files' content. It is not the version: it never leaves the process."""
        main = _content(self.folder / MAIN)
        others = (*OTHERS, *name_price_lists(main, self.environ))
        files = (hashlib.sha256(content).digest() for content in (main, *(_content(self.folder / n) for n in others)))
        skills = digest_of_folders(self.folder, name_skill_folders(main, self.environ))
        return hashlib.sha256(b"".join((*files, skills))).digest()


class LiveConfig[V]:
    """`current` is the value that holds. Its readers ask for it each time, and keep no part of it."""

    def __init__(
        self, source: ConfigSource, prepare: Prepare[V], *, judged: Callable[[bool], None] = lambda _: None
    ) -> None:
        """`judged` is called with whether a content holds now. Raises InvalidConfigError, or what `prepare` raises."""
        self._source = source
        self._prepare = prepare
        self._report = judged
        self._mistakes: list[str] = []
        self._seen = self._judged = source.digest()
        config = source.load()
        self.current: V = prepare(config, None)
        self.version = config.version
        self._accept(config)

    def create_tasks(
        self, seconds: float, steps: Callable[[], Callable[[], None]], switched: Callable[[], None] = lambda: None
    ) -> Mapping[str, Coroutine[object, object, Never]]:
        """The long-lived task by its name, for a supervisor: none when `seconds` is 0. `steps` begins its progress."""
        return {"configuration": self.follow(seconds, switched=switched, heartbeat=steps())} if seconds else {}

    async def follow(
        self,
        seconds: float,
        *,
        switched: Callable[[], None] = lambda: None,
        heartbeat: Callable[[], None] = lambda: None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> Never:
        """Looks for ever. `switched` is called in the event loop, right after another value began to hold."""
        while True:
            await sleep(seconds)
            if await self.look():
                switched()
            heartbeat()

    async def look(self) -> bool:
        """Looks once. Returns whether another value holds now."""
        found = await asyncio.to_thread(self._source.digest)
        settled, self._seen = found == self._seen, found
        if not settled or found == self._judged:
            return False
        made = await asyncio.to_thread(self._make)
        if await asyncio.to_thread(self._source.digest) != found:
            # The folder was renamed while we read: this may be made of two configurations.
            return False
        self._judged = found
        if isinstance(made, Exception):
            self._refuse(made)
            return False
        config, value = made
        self.current, self.version = value, config.version
        self._accept(config)
        return True

    def explain_degraded(self) -> list[str]:
        if not self._mistakes:
            return []
        more = f" ({len(self._mistakes)} mistakes in all)" if len(self._mistakes) > 1 else ""
        return [f"The configuration was changed and has mistakes; {self.version} stays: {self._mistakes[0]}{more}"]

    def _make(self) -> tuple[Config, V] | Exception:
        try:
            config = self._source.load()
            return config, self._prepare(config, self.current)
        except Exception as problem:  # noqa: BLE001 - a configuration that nobody can load must not end who runs
            return problem

    def _accept(self, config: Config) -> None:
        self._mistakes = []
        self._report(True)
        log.info("config.loaded", version=config.version, folder=str(self._source.folder))
        for note in config.notes:
            log.info("config.note", note=str(note))

    def _refuse(self, problem: Exception) -> None:
        self._mistakes = _mistakes(problem)
        self._report(False)
        log.error("config.refused", stays=self.version, mistakes=self._mistakes)


class LiveMapping[K, W](Mapping[K, W]):
    """A part of the value that holds, for those who need no more than a mapping."""

    def __init__(self, current: Callable[[], Mapping[K, W]]) -> None:
        self._current = current

    def __getitem__(self, key: K) -> W:
        return self._current()[key]

    def __iter__(self) -> Iterator[K]:
        return iter(self._current())

    def __len__(self) -> int:
        return len(self._current())


def _content(file: Path) -> bytes:
    try:
        return read_list(file)
    except OSError as problem:
        return str(problem.errno).encode()


def _mistakes(problem: Exception) -> list[str]:
    match problem:
        case InvalidConfigError():
            return [str(mistake) for mistake in problem.mistakes]
        case InvalidScriptError():
            return [str(problem)]
        case _:
            # Leaves out its message, which may repeat the files' content.
            frames = "".join(traceback.format_tb(problem.__traceback__))
            log.error("config.not_loaded", problem=type(problem).__name__, where=frames)
            return [f"TARSy itself failed on it: {type(problem).__name__}"]
