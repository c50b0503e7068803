"""What runs in a folder."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tarsy_local.instance import Home, HomeInUseError, Instance

HOLD = """
import sys
from pathlib import Path
from tarsy_local.instance import Home
with Home(Path(sys.argv[1])).occupied_by_new_instance():
    print("held", flush=True)
    sys.stdin.read()
"""


def test_nothing_runs_in_a_folder_that_does_not_exist(tmp_path: Path) -> None:
    assert Home(tmp_path / "none").find_running() is None


def test_a_second_one_in_the_same_folder_is_refused(tmp_path: Path) -> None:
    with Home(tmp_path).occupied_by_new_instance():
        starting = Home(tmp_path).find_running()
        assert starting is not None
        assert starting.state == "starting"
        with pytest.raises(HomeInUseError), Home(tmp_path).occupied_by_new_instance():
            pass
        assert Home(tmp_path).find_running() == starting
    assert Home(tmp_path).find_running() is None


def test_what_a_dead_process_left_behind_is_not_running(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        running = Home(tmp_path).find_running()
        assert running is not None
        assert running.pid == process.pid
        process.send_signal(signal.SIGKILL)
    assert json.loads((tmp_path / "instance.json").read_bytes())["pid"] == process.pid
    assert Home(tmp_path).find_running() is None
    with Home(tmp_path).occupied_by_new_instance():
        pass


def test_whoever_looks_does_not_keep_a_start_from_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A look takes the lock for a moment; here it is held for a little longer than that."""
    monkeypatch.setattr("tarsy_local.instance.READERS_SECONDS", 60.0)
    look = "import fcntl, sys; f = open(sys.argv[1]); fcntl.flock(f, fcntl.LOCK_SH); print(1, flush=True); " + (
        "import select; select.select([sys.stdin], [], [], 0.2)"
    )
    (tmp_path / "instance.lock").touch()
    with subprocess.Popen(
        [sys.executable, "-c", look, str(tmp_path / "instance.lock")], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"1\n"
        with Home(tmp_path).occupied_by_new_instance():
            assert Home(tmp_path).find_running() is not None


def test_only_the_owner_can_read_the_file_with_the_password(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.write(Instance(state="ready", pid=1, database="postgresql://tarsy:secret@127.0.0.1/tarsy"))
    assert (tmp_path / "instance.json").stat().st_mode & 0o777 == 0o600


def rights(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_what_lies_in_the_folder_is_its_owners_only_whatever_rights_it_had_before(tmp_path: Path) -> None:
    folder = tmp_path / ".tarsy"
    for name in ("kafka", "logs"):
        (folder / name).mkdir(parents=True)
        (folder / name).chmod(0o755)
    (folder / "tarsy.log").touch(0o644)
    folder.chmod(0o755)

    with Home(folder).occupied_by_new_instance():
        assert [rights(path) for path in (folder, folder / "kafka", folder / "logs")] == [0o700] * 3
        assert rights(folder / "tarsy.log") == 0o600


def test_a_folder_that_is_made_is_its_owners_only(tmp_path: Path) -> None:
    with Home(tmp_path / "new").occupied_by_new_instance():
        assert rights(tmp_path / "new") == 0o700


def test_a_folder_that_holds_other_things_keeps_its_rights_and_what_is_ours_in_it_is_closed(tmp_path: Path) -> None:
    (tmp_path / "kafka").mkdir(mode=0o755)
    (tmp_path / "holiday.txt").touch(0o644)
    tmp_path.chmod(0o755)

    with Home(tmp_path).occupied_by_new_instance():
        assert rights(tmp_path) == 0o755
        assert rights(tmp_path / "kafka") == 0o700
        assert rights(tmp_path / "holiday.txt") == 0o644
