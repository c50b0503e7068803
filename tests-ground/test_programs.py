"""Programs are built once for each version, compiler and list of modules, and kept."""

import subprocess
from pathlib import Path

import pytest

from tarsy_ground import programs
from tarsy_ground.__main__ import main
from tarsy_ground.programs import COMPOSE, GROUPS, BuildError, ProgramGroup, build_programs, is_built
from tarsy_testing.programs import require_programs

SECONDS = 60


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.name)
def test_every_group_pins_its_version(group: ProgramGroup) -> None:
    pins = (programs.MODULES / group.name / "go.mod").read_text("utf-8")
    assert f" {group.version}\n" in pins or f" {group.version} //" in pins


def test_other_pins_or_another_compiler_are_another_build() -> None:
    assert len({COMPOSE.digest("go1"), COMPOSE.digest("go2"), GROUPS[1].digest("go1")}) == 3
    assert COMPOSE.digest("go1") == COMPOSE.digest("go1")


def test_a_machine_without_go_is_told_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BuildError, match="apt-get install golang-go"):
        build_programs(COMPOSE, tmp_path)
    assert not list(tmp_path.iterdir())


def test_an_unknown_group_is_refused_with_the_known_ones(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["docker"]) == 2
    assert "there is no docker: choose among compose, etcd" in capsys.readouterr().err


def test_compose_says_its_version(compose_program: Path) -> None:
    """Whoever has not built it waits some minutes, once."""
    command = [str(compose_program), "version", "--short"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=True)
    assert done.stdout == "2.40.3\n"


def test_what_is_not_built_yet_is_known_without_building_it(tmp_path: Path) -> None:
    require_programs("go")
    assert not is_built(COMPOSE, tmp_path)
    assert not list(tmp_path.iterdir())
