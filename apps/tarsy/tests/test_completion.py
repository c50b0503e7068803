"""Completion of the command line, as a shell asks for it."""

import os
import subprocess
import sys
from pathlib import Path


def completed(line: str, **more: str) -> list[str]:
    asked = {"_TARSY_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(line.split(" ")) - 1)}
    done = subprocess.run(
        [sys.executable, "-m", "tarsy_cli"],
        env=os.environ | asked | more,
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert done.stderr == b""
    return done.stdout.decode().split()


def test_commands_and_incidents_are_completed(tmp_path: Path) -> None:
    assert completed("tarsy do") == ["down", "doctor"]
    assert completed("tarsy lab run cr") == ["crash-loop"]
    assert completed(f"tarsy lab run --incidents {tmp_path} c") == [], "a folder without incidents ends no line"
