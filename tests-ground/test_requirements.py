"""A machine that cannot have an engine is told what it lacks."""

from pathlib import Path

import pytest

from tarsy_ground.requirements import PROGRAMS, missing_requirements
from tarsy_testing.programs import known_programs

ALL_RIGHTS, THOSE_OF_A_CONTAINER = "000001ffffffffff", "00000000a80425fb"


def _status(folder: Path, rights: str) -> Path:
    """As /proc/self/status has it."""
    file = folder / "status"
    file.write_text(f"Name:\tpython\nCapPrm:\t{ALL_RIGHTS}\nCapEff:\t{rights}\n", "ascii")
    return file


def test_an_able_machine_lacks_nothing(tmp_path: Path) -> None:
    status = _status(tmp_path, ALL_RIGHTS)
    assert missing_requirements(system="linux", user=0, status=status, groups=tmp_path) == []


def test_another_system_than_linux_is_named() -> None:
    assert missing_requirements(system="darwin", user=501) == ["It needs Linux, and this is darwin."]


@pytest.mark.parametrize(
    ("user", "rights", "groups", "want"),
    [
        (501, ALL_RIGHTS, ".", "Only root may start it."),
        (0, THOSE_OF_A_CONTAINER, ".", "`--privileged`"),
        (0, ALL_RIGHTS, "missing", "control groups"),
    ],
)
def test_each_want_of_a_linux_is_named(user: int, rights: str, groups: str, want: str, tmp_path: Path) -> None:
    status = _status(tmp_path, rights)
    (lack,) = missing_requirements(system="linux", user=user, status=status, groups=tmp_path / groups)
    assert want in lack


def test_make_programs_brings_each_program() -> None:
    assert set(PROGRAMS) <= known_programs()
