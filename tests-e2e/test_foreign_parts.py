"""What the code touches that is not its own: functions of the C library."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MEMBERS = ("apps", "examples", "libs", "services", "tools")
KERNEL = "libs/processes/src/tarsy_processes/launcher.py"
"""Ties the life of a process to its parent's, for which Python has no function."""


def sources() -> Iterator[tuple[str, ast.Module]]:
    """The path and the code of each module that is shipped."""
    for member in MEMBERS:
        for file in ROOT.glob(f"{member}/*/src/**/*.py"):
            yield file.relative_to(ROOT).as_posix(), ast.parse(file.read_text("utf-8"))


def imports_ctypes(node: ast.AST) -> bool:
    names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
    return "ctypes" in names or (isinstance(node, ast.ImportFrom) and node.module == "ctypes")


def test_one_module_alone_calls_the_c_library() -> None:
    """Nothing else writes into the memory of the interpreter, or sets up its allocator."""
    assert [path for path, tree in sources() if any(map(imports_ctypes, ast.walk(tree)))] == [KERNEL]


def test_all_that_it_calls_is_prctl() -> None:
    tree = next(tree for path, tree in sources() if path == KERNEL)
    called = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    of_libraries = {one.attr for one in called if isinstance(one, ast.Attribute) and ast.unparse(one.value) == "libc"}
    of_ctypes = {one.attr for one in called if isinstance(one, ast.Attribute) and ast.unparse(one.value) == "ctypes"}
    assert (of_libraries, of_ctypes) == ({"prctl"}, {"CDLL", "c_ulong", "get_errno"})
