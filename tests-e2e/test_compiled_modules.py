"""What keeps the suite fast, whatever the environment says."""

import subprocess
import sys

import pytest


def test_a_process_that_a_test_starts_compiles_no_module_that_another_has_compiled(
    request: pytest.FixtureRequest,
) -> None:
    """With PYTHONDONTWRITEBYTECODE, which containers often set, every start of `tarsy up` takes two seconds more."""
    told = subprocess.run(
        [sys.executable, "-c", "import sys; print(sys.dont_write_bytecode)"],
        cwd=request.config.rootpath,
        capture_output=True,
        check=True,
        timeout=60,
    )
    assert told.stdout == b"False\n"
