"""Servers that start together: none waits for another one, and none is left when one cannot start."""

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import pytest

from tarsy_embedded.errors import NotReadyError
from tarsy_embedded.server import EmbeddedServer, started_together
from tarsy_processes.ports import free_port


class Slow(EmbeddedServer):
    """Is ready after some looks, or never will be."""

    name: ClassVar[str] = "Slow"
    stop_signal: ClassVar[signal.Signals] = signal.SIGTERM

    def __init__(self, folder: Path, notes: list[str], *, looks: int, fails: str = "") -> None:
        super().__init__(folder, port=free_port(), progress=notes.append)
        self._looks = looks
        self._fails = fails

    def _starting(self) -> Iterator[float]:
        self._progress(f"{self.data_dir.name} starts")
        for _ in range(self._looks):
            yield 0.0
        if self._fails:
            raise NotReadyError(self._fails, 0.0, self.data_dir / "log")
        self._progress(f"{self.data_dir.name} is ready")

    def stop(self, seconds: float = 0.0) -> None:
        self._progress(f"{self.data_dir.name} stops")
        super().stop(seconds)


def test_each_starts_while_the_others_do_and_the_first_is_stopped_first(tmp_path: Path) -> None:
    notes: list[str] = []
    one, other = Slow(tmp_path / "one", notes, looks=3), Slow(tmp_path / "other", notes, looks=1)
    with started_together([one, other]):
        assert notes == ["one starts", "other starts", "other is ready", "one is ready"]
        del notes[:]
    assert notes == ["one stops", "other stops"]


def test_when_one_cannot_start_those_that_run_and_those_that_start_are_stopped(tmp_path: Path) -> None:
    notes: list[str] = []
    ready, failing = Slow(tmp_path / "ready", notes, looks=0), Slow(tmp_path / "failing", notes, looks=2, fails="It")
    starting = Slow(tmp_path / "starting", notes, looks=9)
    with pytest.raises(NotReadyError), started_together([ready, failing, starting]):
        pytest.fail("one of them is not there")
    assert {"ready stops", "failing stops", "starting stops"} <= set(notes)


def test_what_is_to_be_done_meanwhile_is_done_once_and_before_any_is_ready(tmp_path: Path) -> None:
    notes: list[str] = []
    servers = [Slow(tmp_path / "first", notes, looks=2), Slow(tmp_path / "second", notes, looks=3)]
    with started_together(servers, meanwhile=lambda: notes.append("meanwhile")):
        assert notes == ["first starts", "second starts", "meanwhile", "first is ready", "second is ready"]
