"""The engine itself: it is real, apart from the machine, and leaves nothing behind."""

import os
import re
import subprocess
from contextlib import ExitStack
from pathlib import Path

from tarsy_ground.base_image import BASE, import_base
from tarsy_ground.control_groups import CONTROL_GROUPS
from tarsy_ground.engine import Engine, running_engine
from tarsy_ground.kernel_settings import FORWARDING
from tarsy_ground.network import network_namespace
from tarsy_testing.real_servers import cache_dir

SECONDS = 120
LONG_SLEEP = str(86_400 + os.getpid())
"""No other run's."""
OF_A_RUN = re.compile(r"tarsy-ground-\d+")


def test_a_container_runs(engine: Engine) -> None:
    done = engine.run("run", "--rm", BASE, "cat", "/etc/os-release", seconds=SECONDS)
    assert "trixie" in done.stdout, done.stderr


def test_a_container_reaches_what_the_machine_reaches(engine: Engine) -> None:
    done = engine.run("run", "--rm", BASE, "apt-get", "update", "-o", "APT::Update::Error-Mode=any", seconds=SECONDS)
    assert done.returncode == 0, done.stdout + done.stderr


def test_an_image_is_built_on_the_base(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "Dockerfile").write_text(f'FROM {BASE}\nRUN echo built > /built\nCMD ["cat", "/built"]\n', "utf-8")
    built = engine.run("build", "--quiet", "--tag", "built", str(tmp_path), seconds=SECONDS)
    assert built.returncode == 0, built.stderr
    assert engine.run("run", "--rm", "built", seconds=SECONDS).stdout == "built\n"


def test_two_networks_of_this_machine_do_not_meet(able_machine: None) -> None:
    with network_namespace() as first, network_namespace() as second:
        names = {Path(file).name for file in Path("/run/netns").iterdir()}
        assert {first.name, second.name} <= names
        assert first.subnet != second.subnet


def test_files_of_a_killed_run_are_removed_by_the_next_one(able_machine: None) -> None:
    with network_namespace() as killed:
        pass
    killed.folder.mkdir()
    with ExitStack() as held:
        while held.enter_context(network_namespace()) != killed:
            pass
        assert not killed.folder.exists()


def test_the_machine_is_afterwards_as_it_was(able_machine: None, work_folder: Path) -> None:
    """A container still runs when its engine ends."""
    folder = work_folder / "gone"
    before = _traces(folder)
    with network_namespace() as network, running_engine(folder, network) as engine:
        import_base(engine, cache_dir() / "ground")
        container = engine.run("run", "--detach", BASE, "sleep", LONG_SLEEP, seconds=SECONDS).stdout.strip()
        assert container in engine.run("ps", "--no-trunc", seconds=SECONDS).stdout
        assert _sleepers() == 1
        assert _traces(folder, network.name) != before
    assert _traces(folder, network.name) == before
    assert _sleepers() == 0


def _traces(folder: Path, own: str = "none yet") -> list[str]:
    """What an engine changes on a machine. Other runs of `make ground` come and go meanwhile."""
    commands = (("ip", "-brief", "link"), ("iptables", "-S"), ("iptables", "-t", "nat", "-S"), ("ip", "netns"))
    outputs = [subprocess.run(one, capture_output=True, text=True, check=True).stdout for one in commands]
    lines = [line for output in outputs for line in output.splitlines()]
    mounts = [line for line in Path("/proc/mounts").read_text("utf-8").splitlines() if str(folder) in line]
    groups = [str(path) for path in CONTROL_GROUPS.glob("*/tarsy-ground-*")]
    found = [line for line in (*lines, *groups) if own in line or not OF_A_RUN.search(line)]
    return [*sorted(found), *mounts, FORWARDING.read_text("ascii")]


def _sleepers() -> int:
    commands = [file.read_bytes() for file in Path("/proc").glob("[0-9]*/cmdline")]
    return sum(command.split(b"\0")[:2] == [b"sleep", LONG_SLEEP.encode()] for command in commands)
