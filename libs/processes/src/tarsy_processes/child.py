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

from tarsy_processes import launcher
from tarsy_processes.output_log import LOG_BYTES, OutputLog
from tarsy_processes.run_as import OURSELVES, RunAs

STOP_SECONDS = 30.0


class ChildProcess:
    """Started at once; its output goes to `log`, which is rotated at `log_bytes`.

    On Linux the kernel sends it `death_signal` when the thread that started it ends, so only the main thread may.
    Elsewhere a small process watches a pipe that we hold. `descriptors` are ours, and the child's too.
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
        descriptors: Sequence[int] = (),
    ) -> None:
        if threading.current_thread() is not threading.main_thread():
            raise RuntimeError("a server dies with the thread that started it: start it from the main thread")
        self.log = log
        self._output = OutputLog(log, log_bytes)
        self._watched: int | None = None
        self._watch: int | None = None
        if not _kernel_signals_death():
            self._watched, self._watch = os.pipe()
        launch = launch_command(command, run_as, death_signal, watchdog=self._watched, lock=lock)
        self._process = self._spawn_process(launch, lock, folder, environment, descriptors)

    def _spawn_process(
        self,
        command: Sequence[str],
        lock: int | None,
        folder: Path,
        environment: Mapping[str, str],
        descriptors: Sequence[int],
    ) -> subprocess.Popen[bytes]:
        try:
            with self._output.descriptor() as output:
                return subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    env=environment,
                    cwd=folder,
                    pass_fds=[*descriptors, *(one for one in (lock, self._watched) if one is not None)],
                    # Ctrl-C in a terminal reaches the whole group: the server must outlive those who still use it.
                    start_new_session=True,
                )
        finally:
            if self._watched is not None:
                os.close(self._watched)

    @property
    def pid(self) -> int:
        return self._process.pid

    def poll_exit(self) -> int | None:
        self._output.keep_writing()
        return self._process.poll()

    def send_signal(self, number: signal.Signals) -> None:
        """Does nothing to a child that has ended."""
        if self._process.poll() is None:
            with suppress(ProcessLookupError):
                self._process.send_signal(number)

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
        self._output.close()
        return code

    def output(self) -> str:
        """Its output since it was started, or the end of it."""
        if self.poll_exit() is not None:
            self._output.finish()
        return self._output.text()

    def last_lines(self) -> str:
        if self.poll_exit() is not None:
            self._output.finish()
        return self._output.last_lines()

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


def _kernel_signals_death() -> bool:
    return sys.platform == "linux"
