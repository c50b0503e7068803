"""Images are built once for each state of their sources, and kept."""

from pathlib import Path
from typing import cast

from tarsy_ground.engine import Engine
from tarsy_ground.kept_images import KeptImages, state_of


class BuildingEngine:
    """Has what it was told to build, and writes its names where it is told to save them."""

    def __init__(self) -> None:
        self.built: list[str] = []

    def demand(self, command: str, option: str, file: str, *names: str, seconds: float) -> str:
        assert (command, option) == ("save", "--output")
        assert set(names) <= set(self.built)
        Path(file).write_text(" ".join(names), "utf-8")
        return ""


def archive_of(state: str, engine: BuildingEngine, cache: Path) -> Path:
    kept = KeptImages("own", state, (f"own:{state}",), lambda _: engine.built.append(f"own:{state}"))
    return kept.archive(cache, lambda: cast(Engine, engine))


def test_what_is_kept_is_not_built_again(tmp_path: Path) -> None:
    engine = BuildingEngine()
    first, second = archive_of("1", engine, tmp_path), archive_of("1", engine, tmp_path)
    assert first == second
    assert first.read_text("utf-8") == "own:1"
    assert engine.built == ["own:1"]


def test_another_state_takes_the_place_of_the_one_before_and_of_no_other_kind(tmp_path: Path) -> None:
    engine = BuildingEngine()
    (tmp_path / "other-1.tar").touch()
    before, now = archive_of("1", engine, tmp_path), archive_of("2", engine, tmp_path)
    assert engine.built == ["own:1", "own:2"]
    assert not before.exists()
    assert {file.name for file in tmp_path.glob("*.tar")} == {now.name, "other-1.tar"}


def test_another_text_or_another_file_is_another_state(tmp_path: Path) -> None:
    (tmp_path / "Dockerfile").write_text("FROM a", "utf-8")
    before = state_of("1", files=[tmp_path / "Dockerfile"])
    assert state_of("2", files=[tmp_path / "Dockerfile"]) != before
    (tmp_path / "Dockerfile").write_text("FROM b", "utf-8")
    assert state_of("1", files=[tmp_path / "Dockerfile"]) != before
