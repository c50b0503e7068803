"""Import of a module while something else is waited for."""

import importlib
import sys
from pathlib import Path

import pytest

from tarsy_local.early_import import imported_meanwhile


def test_a_module_is_there_after_the_body(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "imported_early.py").write_text("VALUE = 1\n", "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with imported_meanwhile("imported_early") as begin:
        begin()
    assert sys.modules.pop("imported_early").VALUE == 1


def test_an_import_that_fails_fails_where_the_module_is_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "imported_badly.py").write_text("raise ValueError('broken')\n", "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with imported_meanwhile("imported_badly") as begin:
        begin()
        with pytest.raises(ValueError, match="broken"):
            importlib.import_module("imported_badly")


def test_a_body_that_does_not_begin_it_imports_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "never_imported.py").write_text("VALUE = 1\n", "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with imported_meanwhile("never_imported"):
        pass
    assert "never_imported" not in sys.modules
