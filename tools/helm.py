"""Builds helm into .tools/helm, once: the chart is checked with it. It needs Go, and takes minutes.

Go checks what it downloads against its own database of digests. The digest below is of all modules that the program was
built from, with their versions, and is looked at before it is run.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

TOOLS = Path(__file__).resolve().parent.parent / ".tools"
HELM = TOOLS / "helm" / "helm"
MODULE = "helm.sh/helm/v3"
VERSION = "v3.22.0"
MODULES_SHA256 = "a5e6b91f4e9957c96e3680c8308bad23ee5b30b68000740af494cfe72bb6a69f"
KUBERNETES_MINOR = 37
"""The version that helm takes a cluster to have when it renders without one. By itself it would be 1.20."""
BUILD_SECONDS = 1_800
LOOK_SECONDS = 60


def modules_digest(program):
    """The digest of the modules that Go wrote into the program."""
    said = subprocess.run(
        ["go", "version", "-m", str(program)], capture_output=True, text=True, check=True, timeout=LOOK_SECONDS
    )
    rows = [line.split() for line in said.stdout.splitlines()]
    modules = "".join(" ".join(row[1:4]) + "\n" for row in rows if row and row[0] in ("mod", "dep"))
    return hashlib.sha256(modules.encode()).hexdigest()


def build(folder):
    environment = {**os.environ, "GOBIN": str(folder), "CGO_ENABLED": "0"}
    target = f"{MODULE}/cmd/helm@{VERSION}"
    version = [
        f"-X {MODULE}/pkg/{package}.k8sVersion{part}={number}"
        for package in ("chartutil", "lint/rules")
        for part, number in (("Major", 1), ("Minor", KUBERNETES_MINOR))
    ]
    flags = " ".join(["-ldflags=-s -w", *version])
    done = subprocess.run(
        ["go", "install", flags, target], env=environment, cwd=folder, check=False, timeout=BUILD_SECONDS
    )
    if done.returncode != 0:
        sys.exit(f"helm {VERSION} was not built: Go's words stand above; it has to be 1.21 or newer")
    return folder / "helm"


def main():
    if shutil.which("go") is None:
        sys.exit("helm is built with Go, which is not installed (Debian's package golang-go has it)")
    HELM.parent.mkdir(parents=True, exist_ok=True)
    with (TOOLS / ".helm.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if HELM.is_file() and modules_digest(HELM) == MODULES_SHA256:
            return
        sys.stderr.write(f"helm {VERSION} is built into .tools/helm, which takes minutes\n")
        with tempfile.TemporaryDirectory(dir=TOOLS) as folder:
            program = build(Path(folder))
            if modules_digest(program) != MODULES_SHA256:
                sys.exit(f"helm {VERSION} was built from other modules than ours: it is not used")
            program.replace(HELM)


if __name__ == "__main__":
    main()
