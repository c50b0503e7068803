"""A child process that dies with us."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from tarsy_processes import launcher, log_writer
from tarsy_processes.run_as import OURSELVES, RunAs

STOP_SECONDS = 30.0
LOG_BYTES = 10_000_000
LOGS_KEPT = 1
_OUTPUT_BYTES = 1_000_000
_LOG_SECONDS = 10.0


class ChildProcess:
    """Started at once; its output goes to `log`, which is rotated at `log_bytes`.

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
        log_bytes: int = LOG_BYTES,
    ) -> None:
        if threading.current_thread() is not threading.main_thread():
            raise RuntimeError("a server dies with the thread that started it: start it from the main thread")
        self.log = log
        with log.open("ab") as begun:  # raises here what the writer could tell nobody
            self._log_start = begun.tell()
        self._watched: int | None = None
        self._watch: int | None = None
        if not _kernel_tells():
            self._watched, self._watch = os.pipe()
        launch = launch_command(command, run_as, death_signal, watchdog=self._watched, lock=lock)
        self._process, self._writer = self._spawn(launch, lock, folder, environment, log_bytes)

    def _spawn(
        self, command: Sequence[str], lock: int | None, folder: Path, environment: Mapping[str, str], log_bytes: int
    ) -> tuple[subprocess.Popen[bytes], subprocess.Popen[bytes]]:
        """The child, and who writes its output to the log."""
        reading, writing = os.pipe()
        try:
            writer = _start_log_writer(self.log, reading, log_bytes)
            child = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=writing,
                stderr=writing,
                env=environment,
                cwd=folder,
                pass_fds=[descriptor for descriptor in (lock, self._watched) if descriptor is not None],
                # Ctrl-C in a terminal reaches the whole group: the server must outlive those who still use it.
                start_new_session=True,
            )
        finally:
            for descriptor in (reading, writing, self._watched):
                if descriptor is not None:
                    os.close(descriptor)
        return child, writer

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
        self._finish_log()
        if self._writer.poll() is None:
            # A process that the child left behind still holds the pipe: it has nobody to write to any more.
            self._writer.kill()
            self._writer.wait()
        return code

    def output(self) -> str:
        """Its output since it was started, or the end of it."""
        if self.exited() is not None:
            self._finish_log()
        with self.log.open("rb") as log:
            size = log.seek(0, os.SEEK_END)
            begin = self._log_start if self._log_start <= size else 0  # else it was rotated since
            log.seek(max(begin, size - _OUTPUT_BYTES))
            return log.read().decode(errors="replace")

    def last_lines(self) -> str:
        return "\n".join(self.output().splitlines()[-10:])

    def _finish_log(self) -> None:
        """Its last words are in the log when the writer has ended; mostly that is at once."""
        with suppress(subprocess.TimeoutExpired):
            self._writer.wait(_LOG_SECONDS)

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


def _start_log_writer(log: Path, reading: int, log_bytes: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-I", "-S", log_writer.__file__, str(log.absolute()), str(log_bytes), str(LOGS_KEPT)],
        stdin=reading,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
        start_new_session=True,
    )
