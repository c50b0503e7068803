"""Two runs of `make ground` on one machine do not meet."""

from contextlib import ExitStack
from pathlib import Path

import pytest

from tarsy_ground.kernel_settings import SETTINGS, unchanged_kernel_settings
from tarsy_ground.shared_machine import NUMBERS, own_number, shared_state


@pytest.fixture
def forwarding(tmp_path: Path) -> Path:
    """A setting as /proc/sys has it; the machine's own stays as it is."""
    setting = tmp_path / "sys" / SETTINGS[0]
    setting.parent.mkdir(parents=True)
    setting.write_text("0\n", "ascii")
    return setting


def test_each_has_a_number_of_its_own_until_it_ends(tmp_path: Path) -> None:
    with own_number(tmp_path) as first, own_number(tmp_path) as second:
        assert first != second
    with own_number(tmp_path) as following:
        assert following == first


def test_one_too_many_learns_how_to_find_the_others(tmp_path: Path) -> None:
    with ExitStack() as held:
        for _ in range(NUMBERS):
            held.enter_context(own_number(tmp_path))
        with pytest.raises(RuntimeError, match="fuser"):
            held.enter_context(own_number(tmp_path))


def test_whoever_ends_first_leaves_the_others_what_they_need(tmp_path: Path, forwarding: Path) -> None:
    first, second = ExitStack(), ExitStack()
    first.enter_context(unchanged_kernel_settings(tmp_path / "sys", tmp_path / "shared"))
    forwarding.write_text("1\n", "ascii")
    second.enter_context(unchanged_kernel_settings(tmp_path / "sys", tmp_path / "shared"))
    first.close()
    assert forwarding.read_text("ascii") == "1\n"
    second.close()
    assert forwarding.read_text("ascii") == "0\n"


def test_what_a_killed_run_has_left_is_restored_by_the_next_one(tmp_path: Path) -> None:
    restored: list[str] = []
    (tmp_path / "state").write_text("before the killed run", "ascii")
    with shared_state(tmp_path, lambda: "what it has left", restored.append):
        assert restored == []
    assert restored == ["before the killed run"]
    with shared_state(tmp_path, lambda: "later", restored.append):
        pass
    assert restored[1:] == ["later"]
