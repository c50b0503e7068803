"""The alert rules for Prometheus, tried out with Prometheus' own tool."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parent.parent / "deploy" / "prometheus"


@pytest.mark.parametrize(
    "command",
    [
        ("check", "config", "prometheus.yaml"),
        ("check", "rules", "tarsy-rules.yaml"),
        ("test", "rules", "tarsy-rules-test.yaml"),
    ],
)
def test_promtool_accepts(command: tuple[str, ...]) -> None:
    promtool = shutil.which("promtool")
    if promtool is None and not os.environ.get("CI"):
        pytest.skip("promtool is not installed (Debian's package prometheus has it)")
    assert promtool is not None, "promtool is missing: CI installs Debian's package prometheus"
    done = subprocess.run([promtool, *command], cwd=FOLDER, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
