"""A child process that dies with us."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

from tarsy_embedded import launcher
from tarsy_embedded.run_as import OURSELVES, RunAs

STOP_SECONDS = 30.0
_LOG_BYTES = 10_000_000


class Child:
    """Started at once; its output goes to `log`.

    On Linux the kernel sends it `death_signal` when the thread that started it ends, so only the main thread may.
    Elsewhere a small process watches a pipe that we hold.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        log: Path,
        death_signal: signal.Signals,
        lock: int | None = None,
        run_as: RunAs = OURSELVES,
        folder: Path,
        environment: Mapping[str, str],
    ) -> None:
        if threading.current_thread() is not threading.main_thread():
            raise RuntimeError("a server dies with the thread that started it: start it from the main thread")
        self.log = log
        self._log_start = _begin_log(log)
        self._watched: int | None = None
        self._watch: int | None = None
        if not _kernel_tells():
            self._watched, self._watch = os.pipe()
        launch = launch_command(command, run_as, death_signal, watchdog=self._watched, lock=lock)
        self._process = self._spawn(launch, lock, folder, environment)

    def _spawn(
        self, command: Sequence[str], lock: int | None, folder: Path, environment: Mapping[str, str]
    ) -> subprocess.Popen[bytes]:
        try:
            with self.log.open("ab") as log:
                return subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    env=environment,
                    cwd=folder,
                    pass_fds=[descriptor for descriptor in (lock, self._watched) if descriptor is not None],
                    # Ctrl-C in a terminal reaches the whole group: the server must outlive those who still use it.
                    start_new_session=True,
                )
        finally:
            if self._watched is not None:
                os.close(self._watched)

    @property
    def pid(self) -> int:
        return self._process.pid

    def exited(self) -> int | None:
        return self._process.poll()

    def stop(self, stop_signal: signal.Signals, seconds: float = STOP_SECONDS) -> int:
        """Ask, wait, insist. Returns the exit code, negative for a signal."""
        if self._process.poll() is None:
            self._process.send_signal(stop_signal)
        try:
            code = self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait()
        self._dismiss_watchdog()
        return code

    def output(self) -> str:
        """What it has written since it was started."""
        with self.log.open("rb") as log:
            log.seek(self._log_start)
            return log.read().decode(errors="replace")

    def last_lines(self) -> str:
        return "\n".join(self.output().splitlines()[-10:])

    def _dismiss_watchdog(self) -> None:
        if self._watch is not None:
            os.write(self._watch, b".")
            os.close(self._watch)
            self._watch = None


def launch_command(
    command: Sequence[str],
    run_as: RunAs,
    death_signal: signal.Signals,
    *,
    watchdog: int | None = None,
    lock: int | None = None,
) -> list[str]:
    options: launcher.Options = {
        "parent": os.getpid(),
        "death_signal": death_signal,
        "user": run_as.user,
        "uid": run_as.uid,
        "gid": run_as.gid,
        "watchdog": watchdog,
        "lock": lock,
    }
    return [sys.executable, "-I", "-S", launcher.__file__, json.dumps(options), *command]


def _kernel_tells() -> bool:
    return sys.platform == "linux"


def _begin_log(log: Path) -> int:
    size = log.stat().st_size if log.exists() else 0
    if size < _LOG_BYTES:
        return size
    log.replace(log.with_name(log.name + ".1"))
    return 0
