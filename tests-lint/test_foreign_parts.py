"""What the code touches that is not its own: functions of the C library, private parts of other people's libraries."""

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MEMBERS = ("apps", "examples", "libs", "services", "tools")
KERNEL = "libs/processes/src/tarsy_processes/launcher.py"
"""Ties the life of a process to its parent's, for which Python has no function."""
INTERNALS = {
    "libs/bus/src/tarsy_bus/client/aiokafka_internals": "aiokafka",
    "libs/service/src/tarsy_service/http/bounded_http.py": "uvicorn",
    "libs/service/src/tarsy_service/telemetry/logs.py": "logging, as its documentation says it",
    "libs/service/src/tarsy_service/telemetry/shared_metrics.py": "prometheus_client",
    "services/tool-gateway/src/tarsy_tool_gateway/mcp/sdk_internals.py": "the MCP SDK",
}
"""The one module, or room, that may touch private parts of a library. Each of its lines says why."""
DOCUMENTED = {"_replace", "_exit"}
"""Of named tuples, and of os."""
OURS = ("self", "cls")
NAMING = (
    ast.Attribute,
    ast.Name,
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Import,
    ast.ImportFrom,
    ast.Constant,
    ast.Call,
)

type Nodes = Sequence[ast.AST]


@cache
def sources() -> list[tuple[str, Nodes]]:
    """The path of each module of a member, and what it names."""
    files = [file for member in MEMBERS for file in ROOT.glob(f"{member}/*/src/**/*.py")]
    return [(file.relative_to(ROOT).as_posix(), _nodes(file.read_text("utf-8"))) for file in files]


def _nodes(code: str) -> Nodes:
    return [node for node in ast.walk(ast.parse(code)) if isinstance(node, NAMING)]


def imports_ctypes(node: ast.AST) -> bool:
    names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
    return "ctypes" in names or (isinstance(node, ast.ImportFrom) and node.module == "ctypes")


def test_one_module_alone_calls_the_c_library() -> None:
    """Nothing else writes into the memory of the interpreter, or sets up its allocator."""
    assert [path for path, nodes in sources() if any(map(imports_ctypes, nodes))] == [KERNEL]


def test_all_that_it_calls_is_prctl() -> None:
    nodes = next(nodes for path, nodes in sources() if path == KERNEL)
    called = [node.func for node in nodes if isinstance(node, ast.Call)]
    of_libraries = {one.attr for one in called if isinstance(one, ast.Attribute) and ast.unparse(one.value) == "libc"}
    of_ctypes = {one.attr for one in called if isinstance(one, ast.Attribute) and ast.unparse(one.value) == "ctypes"}
    assert (of_libraries, of_ctypes) == ({"prctl"}, {"CDLL", "c_ulong", "get_errno"})


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.endswith("__") and name not in DOCUMENTED


def defined_in(nodes: Nodes) -> set[str]:
    """Names that a module gives to attributes, methods, functions and classes."""
    found: set[str] = set()
    for node in nodes:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                found.add(name)
            case ast.Attribute(value=ast.Name(id=owner), attr=name, ctx=ast.Store()) if owner in OURS:
                found.add(name)
            case ast.Name(id=name, ctx=ast.Store()):
                found.add(name)
            case _:
                pass
    return found


def private_parts(nodes: Nodes, of_ours: Counter[str]) -> Iterator[str]:
    """Private attributes of objects of others, and imports of private modules and names.

    `of_ours`: in how many of our modules a name is defined.
    """
    own = defined_in(nodes)
    for node in nodes:
        match node:
            case ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr=name):
                if is_private(name) and of_ours[name] == (name in own):
                    yield f"super().{name}"
            case ast.Attribute(value=ast.Name(id=owner), attr=name) if owner in OURS:
                if is_private(name) and name not in of_ours:
                    yield f"{owner}.{name}"
            case ast.Attribute(attr=name) if is_private(name) and name not in own:
                yield ast.unparse(node)
            case ast.ImportFrom(module=str(module), names=names):
                yield from (f"{module}.{one.name}" for one in names if is_private(one.name))
                yield from (module for part in module.split(".") if is_private(part))
            case ast.Import(names=names):
                yield from (one.name for one in names if any(map(is_private, one.name.split("."))))
            case _:
                pass


def called_by_nobody(nodes: Nodes, used: set[str]) -> Iterator[str]:
    """Private methods that a library calls: nothing of ours does, and no decorator takes them."""
    for node in nodes:
        match node:
            case ast.FunctionDef(name=name, decorator_list=[]) | ast.AsyncFunctionDef(name=name, decorator_list=[]):
                if is_private(name) and name not in used:
                    yield f"def {name}"
            case _:
                pass


def used_in(nodes: Nodes) -> Iterator[str]:
    for node in nodes:
        match node:
            case ast.Name(id=name, ctx=ast.Load()) | ast.Attribute(attr=name) | ast.Constant(value=str(name)):
                yield name
            case _:
                pass


def room_of(path: str) -> str:
    return next((room for room in INTERNALS if path == room or path.startswith(f"{room}/")), path)


def test_private_parts_of_a_library_are_touched_in_one_room_each() -> None:
    everything = sources()
    of_ours = Counter(name for _, nodes in everything for name in defined_in(nodes))
    used = {name for _, nodes in everything for name in used_in(nodes)}
    found: dict[str, list[str]] = {}
    for path, nodes in everything:
        if parts := sorted([*private_parts(nodes, of_ours), *called_by_nobody(nodes, used)]):
            found.setdefault(room_of(path), []).extend(parts)
    assert {room: parts for room, parts in found.items() if room not in INTERNALS} == {}
    assert found.keys() == INTERNALS.keys()
