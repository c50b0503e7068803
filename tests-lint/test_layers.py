"""The arrows between the folders, where import-linter does not look: in tests, and in what a member declares."""

import ast
import tomllib
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
APPS = {"tarsy_cli", "tarsy_local", "tarsy_docgen"}


MOST_SIDE_BY_SIDE = 30
"""Modules of one folder that a person can still take in."""


def imported(file: Path) -> Iterator[str]:
    """The packages that a file imports."""
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name.partition(".")[0] for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.partition(".")[0]


@pytest.mark.parametrize("folder", ["libs", "services"])
def test_no_test_of_a_library_or_service_imports_an_app(folder: str) -> None:
    found = [
        str(file.relative_to(ROOT)) for file in ROOT.glob(f"{folder}/*/tests/**/*.py") if APPS & set(imported(file))
    ]
    assert found == []


@pytest.mark.parametrize("file", sorted(ROOT.glob("*/*/pyproject.toml")), ids=lambda file: file.parent.name)
def test_a_member_declares_the_members_that_it_imports_and_no_other(file: Path) -> None:
    project = tomllib.loads(file.read_text("utf-8"))["project"]
    extras = project.get("optional-dependencies", {}).values()
    declared = {
        requirement.partition("[")[0].replace("-", "_")
        for requirement in chain(project["dependencies"], *extras)
        if requirement.startswith("tarsy-")
    }
    (own,) = {folder.name for folder in (file.parent / "src").iterdir() if folder.name.startswith("tarsy_")}
    used = {
        package
        for source in (file.parent / "src").rglob("*.py")
        for package in imported(source)
        if package.startswith("tarsy_")
    }
    assert used - {own} == declared


def test_no_folder_has_more_modules_side_by_side_than_a_person_takes_in() -> None:
    counted = Counter(file.parent for file in ROOT.glob("*/*/src/**/*.py") if file.name != "__init__.py")
    assert len(counted) > 100
    found = {str(folder.relative_to(ROOT)): number for folder, number in counted.items() if number > MOST_SIDE_BY_SIDE}
    assert found == {}, "give some of them a room of their own"
