"""The engine itself: it is real, apart from the machine, and leaves nothing behind."""

import subprocess
from pathlib import Path

from tarsy_ground.base_image import BASE, import_base
from tarsy_ground.control_groups import CONTROL_GROUPS
from tarsy_ground.engine import Engine, running_engine
from tarsy_ground.network import FORWARDING, network_namespace
from tarsy_testing import cache_dir

SECONDS = 120
LONG_SLEEP = "86399"


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


def test_the_machine_is_afterwards_as_it_was(able_machine: None, work_folder: Path) -> None:
    """A container still runs when its engine ends."""
    before = _traces()
    namespace = network_namespace("tarsy-gone", subnet=242)
    with namespace as network, running_engine(work_folder / "gone", network) as engine:
        import_base(engine, cache_dir() / "ground")
        name = engine.run("run", "--detach", BASE, "sleep", LONG_SLEEP, seconds=SECONDS).stdout.strip()
        assert name in engine.run("ps", "--no-trunc", seconds=SECONDS).stdout
        assert _sleepers() == 1
        assert _traces() != before
    assert _traces() == before
    assert _sleepers() == 0


def _traces() -> list[str]:
    """What an engine changes on a machine."""
    commands = (("ip", "-brief", "link"), ("iptables", "-S"), ("iptables", "-t", "nat", "-S"), ("ip", "netns"))
    outputs = [subprocess.run(one, capture_output=True, text=True, check=True).stdout for one in commands]
    groups = sorted(str(path) for path in CONTROL_GROUPS.glob("*/tarsy-gone"))
    return [*outputs, Path("/proc/mounts").read_text("utf-8"), FORWARDING.read_text("ascii"), *groups]


def _sleepers() -> int:
    commands = [file.read_bytes() for file in Path("/proc").glob("[0-9]*/cmdline")]
    return sum(command.split(b"\0")[:2] == [b"sleep", LONG_SLEEP.encode()] for command in commands)
