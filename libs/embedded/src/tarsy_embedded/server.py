"""Base of the two embedded servers: lock, child process, stop."""

import signal
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from types import TracebackType
from typing import ClassVar, Self

from tarsy_embedded.disk import NEEDED_MEGABYTES, free_megabytes, require_space
from tarsy_embedded.errors import DiskFullError, ExitedEarlyError, NotAllowedError
from tarsy_embedded.lock import DataLock
from tarsy_embedded.progress import Progress
from tarsy_processes.child import STOP_SECONDS, ChildProcess
from tarsy_processes.errors import PortTakenError, ProcessError
from tarsy_processes.ports import require_free


class EmbeddedServer(ABC):
    name: ClassVar[str]
    stop_signal: ClassVar[signal.Signals]

    def __init__(self, data_dir: Path, *, port: int, progress: Progress) -> None:
        self.data_dir = data_dir.absolute()
        self.port = port
        self._progress = progress
        self._lock = DataLock(self.data_dir)
        self._child: ChildProcess | None = None

    @abstractmethod
    def _starting(self) -> Iterator[float]:
        """Prepares the data folder, sets `_child`, and ends when the server is ready. Yields the seconds to wait."""

    @property
    def pid(self) -> int:
        return self._require_child().pid

    @property
    def has_process(self) -> bool:
        """Not while it waits to be started again."""
        return self._child is not None and self._child.poll_exit() is None

    def start(self) -> None:
        """Returns when the server answers. Must be called on the main thread, with whose end the server ends."""
        for seconds in self.start_in_steps():
            time.sleep(seconds)

    def start_in_steps(self) -> Generator[float]:
        """As `start`, for a caller that must not block, or starts several that wait for each other.

        Yields the seconds to wait. Closed before its end, it stops the server.
        """
        try:
            self.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
            yield from self._lock.acquire_in_steps()
            require_space(self.data_dir)
            require_free(self.port, self.name)
            yield from self._starting()
        except PermissionError as error:
            self.stop()
            raise NotAllowedError(str(error.filename)) from error
        except BaseException:
            self.stop()
            raise

    def start_again(self) -> Iterator[float]:
        """Starts a server that has ended by itself. Yields the seconds to wait, for a caller that must not block.

        On the main thread. Raises ProcessError; it may be called again then.
        """
        self._stop_child()
        require_space(self.data_dir)
        require_free(self.port, self.name)
        try:
            yield from self._starting()
        except BaseException:
            self._stop_child()
            raise

    def stop(self, seconds: float = STOP_SECONDS) -> None:
        """Harmless when it is not running. After `seconds` it is killed."""
        self._stop_child(seconds)
        self._lock.release()

    def poll_exit(self) -> int | None:
        """The exit code when the server has ended by itself, None while it runs."""
        return self._require_child().poll_exit()

    def failure(self) -> ProcessError | None:
        """Why the server ended by itself, None while it runs."""
        child = self._require_child()
        code = child.poll_exit()
        if code is None:
            return None
        output = child.output()
        if "No space left on device" in output:
            return DiskFullError(self.data_dir, free_megabytes(self.data_dir), NEEDED_MEGABYTES)
        if "Address already in use" in output and str(self.port) in output:
            return PortTakenError(self.port, self.name)
        return ExitedEarlyError(self.name, code, child.log, child.last_lines())

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _stop_child(self, seconds: float = STOP_SECONDS) -> None:
        if self._child is not None:
            self._child.stop(self.stop_signal, seconds)
            self._child = None

    def _require_child(self) -> ChildProcess:
        if self._child is None:
            raise RuntimeError(f"{self.name} was not started")
        return self._child


@contextmanager
def started_together(
    servers: Sequence[EmbeddedServer], *, meanwhile: Callable[[], None] = lambda: None
) -> Iterator[None]:
    """All answer in the body, and are stopped after it, the first one first. While one starts, the others do.

    `meanwhile` is called once, when all have their processes.
    On the main thread, with whose end they end. Raises ProcessError: then none is left.
    """
    with ExitStack() as stack:
        for server in reversed(servers):
            stack.callback(server.stop)
        starts = {server: stack.enter_context(closing(server.start_in_steps())) for server in servers}
        begun = False
        while starts:
            pauses = {server: next(start, None) for server, start in starts.items()}
            starts = {server: start for server, start in starts.items() if pauses[server] is not None}
            if not begun:
                begun = True
                meanwhile()
            time.sleep(min((pause for pause in pauses.values() if pause is not None), default=0.0))
        yield
