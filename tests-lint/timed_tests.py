"""Tests whose outcome could depend on how fast the machine is: `make timing` runs them again and again.

Such a test reads a clock, compares the time of one piece of work with that of another, or gives something less than ten
seconds. It has the mark `timing`.
"""

import ast
from collections.abc import Iterator, Mapping

MARK = "timing"
CLOCKS = {"monotonic", "perf_counter", "process_time", "thread_time"}
MEASURES = {"assert_linear", "watching_the_loop"}
WAITS = {"timeout", "wait", "wait_for", "join", "call", "eventually"}
LIMITS = {"seconds", "timeout"}
PATIENT_SECONDS = 10.0

type Function = ast.FunctionDef | ast.AsyncFunctionDef


def depends_on_time(module: ast.Module) -> Iterator[Function]:
    """Tests of the module that do, themselves or in a function of the module that they call."""
    functions = {one.name: one for one in ast.walk(module) if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)}
    numbers = dict(_numbers(module))
    for function in functions.values():
        if function.name.startswith("test_") and _looks_at_time(function, functions, numbers, {function.name}):
            yield function


def is_marked(test: Function) -> bool:
    return any(ast.unparse(one) == f"pytest.mark.{MARK}" for one in test.decorator_list)


def _looks_at_time(
    function: Function, functions: Mapping[str, Function], numbers: Mapping[str, float], seen: set[str]
) -> bool:
    for call in (node for node in ast.walk(function) if isinstance(node, ast.Call)):
        name = _name(call.func)
        if name in CLOCKS | MEASURES or (name in WAITS and any(_impatient(one, numbers) for one in _limits(call))):
            return True
        if name in functions and name not in seen:
            seen.add(name)
            if _looks_at_time(functions[name], functions, numbers, seen):
                return True
    return False


def _limits(call: ast.Call) -> Iterator[ast.expr]:
    """`asyncio.timeout(3)`, `process.wait(3)`, `eventually(look, what, seconds=3)`."""
    yield from (keyword.value for keyword in call.keywords if keyword.arg in LIMITS)
    if _name(call.func) in {"timeout", "wait", "join"} and len(call.args) == 1:
        yield call.args[0]


def _impatient(limit: ast.expr, numbers: Mapping[str, float]) -> bool:
    seconds = numbers.get(limit.id) if isinstance(limit, ast.Name) else _number(limit)
    return seconds is not None and 0 < seconds < PATIENT_SECONDS


def _numbers(module: ast.Module) -> Iterator[tuple[str, float]]:
    for statement in module.body:
        if isinstance(statement, ast.Assign) and (number := _number(statement.value)) is not None:
            yield from ((target.id, number) for target in statement.targets if isinstance(target, ast.Name))


def _number(node: ast.expr) -> float | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        return float(node.value)
    return None


def _name(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""
