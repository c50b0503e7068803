"""Makes the Python environment: uv into .tools/, what requirements.lock pins into .venv/, our members editable.

Runs on any Python 3 with pip, and uses nothing else. Two at once (`make up` and `make demo`) wait for each other.
"""

import fcntl
import hashlib
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TOOLS, VENV = ROOT / ".tools", ROOT / ".venv"
UV = TOOLS / "bin" / "uv"
UV_LOCK = ROOT / "deploy" / "build.lock"
STAMP = VENV / ".ready"
FOLDERS = ("apps", "examples", "libs", "services", "tools")


def members():
    files = [file for folder in FOLDERS for file in ROOT.glob(f"{folder}/*/pyproject.toml")]
    return sorted(file.parent for file in files)


def wanted():
    """A digest of all that the environment is made from."""
    digest = hashlib.sha256()
    files = [ROOT / "requirements.lock", ROOT / ".python-version", *(member / "pyproject.toml" for member in members())]
    for file in files:
        digest.update(str(file.relative_to(ROOT)).encode() + file.read_bytes())
    return digest.hexdigest()


def run(*command):
    environment = {name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"}
    done = subprocess.run([str(part) for part in command], cwd=ROOT, env=environment, stdout=sys.stderr, check=False)
    if done.returncode != 0:
        sys.exit(
            f"set-up failed: {Path(command[0]).name} {command[1]} ended with {done.returncode}. What it said stands"
            " above; when it was the network, run the same command again, it goes on where it stopped."
        )


def say(line):
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


def install_uv():
    if UV.is_file():
        return
    say("set-up 1/3: uv into .tools/")
    pip = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--root-user-action=ignore",
    ]
    run(*pip, "--target", TOOLS, "--require-hashes", "-r", UV_LOCK)


def main():
    """`setup.py uv` stops after uv."""
    TOOLS.mkdir(exist_ok=True)
    with (TOOLS / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        install_uv()
        digest = wanted()
        if sys.argv[1:] == ["uv"] or (STAMP.is_file() and STAMP.read_text() == digest):
            return
        say("set-up 2/3: Python and the libraries into .venv/")
        run(UV, "venv", "--quiet", "--allow-existing", VENV)
        run(UV, "pip", "sync", "--quiet", "--require-hashes", "requirements.lock")
        say("set-up 3/3: TARSy itself")
        editable = [part for member in members() for part in ("-e", member)]
        run(UV, "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", *editable)
        STAMP.write_text(digest)


if __name__ == "__main__":
    main()
