"""Exceptions: each distribution has one base, and each exception says who acts on it."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MEMBERS = ("apps", "examples", "libs", "services", "tools")
ACTOR = re.compile(
    r"(^|[.;:,] )(the operator|the caller|the model|we|`meaning` says who)\b", re.IGNORECASE | re.MULTILINE
)


def distributions() -> Iterator[Path]:
    for member in MEMBERS:
        yield from ROOT.glob(f"{member}/*/src/tarsy_*")


@cache
def exceptions(package: Path) -> dict[str, ast.ClassDef]:
    """Ruff sees to it that each of them ends in Error."""
    return {
        node.name: node
        for file in package.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.ClassDef) and node.name.endswith("Error") and not node.name.startswith("_")
    }


def bases(package: Path) -> list[str]:
    """Those that stand directly on Exception, or on the base of a distribution below."""
    below = {"Exception", "ProcessError"} - set(exceptions(package))
    return [
        name
        for name, node in exceptions(package).items()
        if len(node.bases) == 1 and ast.unparse(node.bases[0]) in below
    ]


def lineage(package: Path, name: str) -> list[str]:
    """The exception and those of its distribution that it stands on, up to the base."""
    found = [name]
    for base in exceptions(package)[name].bases:
        if (parent := ast.unparse(base)) in exceptions(package):
            found += lineage(package, parent)
    return found


def test_each_distribution_with_exceptions_has_one_base_for_them() -> None:
    packages = [package for package in distributions() if exceptions(package)]
    assert len(packages) > 10
    for package in packages:
        assert (package / "errors.py").exists(), package.name
        (base,) = bases(package)
        assert f"class {base}(" in (package / "errors.py").read_text("utf-8")
        assert [name for name in exceptions(package) if base not in lineage(package, name)] == []


def test_each_exception_says_whether_operator_caller_model_or_we_must_act() -> None:
    silent = [
        name
        for package in distributions()
        for name in set(exceptions(package)) - set(bases(package))
        if not any(ACTOR.search(ast.get_docstring(exceptions(package)[one]) or "") for one in lineage(package, name))
    ]
    assert silent == []
