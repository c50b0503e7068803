"""Each test that could depend on how fast the machine is has the mark by which `make timing` repeats it."""

import ast
from pathlib import Path

import pytest
from timed_tests import depends_on_time, is_marked

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("apps", "examples", "helm", "libs", "services", "tests-e2e", "tools")


def test_each_test_that_looks_at_time_is_marked() -> None:
    files = [file for folder in FOLDERS for file in ROOT.glob(f"{folder}/**/test_*.py")]
    modules = {file.relative_to(ROOT): ast.parse(file.read_text("utf-8")) for file in files}
    found = [(file, test) for file, module in modules.items() for test in depends_on_time(module)]
    assert len(found) > 30
    assert [f"{file}::{test.name}" for file, test in found if not is_marked(test)] == []


@pytest.mark.parametrize(
    ("body", "looks"),
    [
        ("time.monotonic()", True),
        ("assert_linear(work, small=10)", True),
        ("asyncio.timeout(3)", True),
        ("process.wait(timeout=3)", True),
        ("process.wait(SOON)", True),
        ("other()", True),
        ("process.wait(30)", False),
        ("process.wait()", False),
        ("text.join(lines)", False),
    ],
)
def test_it_looks_at_time(body: str, looks: bool) -> None:
    module = ast.parse(f"SOON = 2.0\ndef other():\n    time.process_time()\ndef test_one():\n    {body}\n")
    assert [test.name for test in depends_on_time(module)] == (["test_one"] if looks else [])
