"""Imports while something else is waited for."""

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

from tarsy_local.early_import import imported_meanwhile


def test_modules_are_there_after_the_body(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "imported_early.py").write_text("VALUE = 1\n", "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "imported_with_it.py").write_text("VALUE = 2\n", "utf-8")
    with imported_meanwhile("imported_early", "imported_with_it") as begin:
        begin()
    assert sys.modules.pop("imported_early").VALUE == 1
    assert sys.modules.pop("imported_with_it").VALUE == 2


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


def test_what_is_imported_before_the_servers_start_is_what_looks_at_settings_and_configuration() -> None:
    """Kafka takes longest of all, and waits for these imports."""
    asked = "import sys, tarsy_local.instance_run, tarsy_local.own_servers; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, timeout=120, check=True)
    assert not {"fastapi", "aiokafka", "asyncpg", "cryptography", "httpx2", "jgo"} & {*done.stdout.split()}
