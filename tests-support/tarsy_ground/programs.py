"""Builds programs from pinned Go modules, and keeps them: see `tools/ground`."""

import hashlib
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tarsy_embedded.lock import one_at_a_time

MODULES = Path(__file__).resolve().parent.parent.parent / "tools" / "ground"
BUILD_SECONDS = 7_200
VERSION_SECONDS = 60
PINS = ("go.mod", "go.sum")


class BuildError(Exception):
    """Go is missing, or has refused to build: the operator must act."""


@dataclass(frozen=True, slots=True)
class ProgramGroup:
    """One module of `tools/ground`; `version` is told to the programs where `version_variables` have a place for it.

    `manifests` is a folder of YAML files, with the module that has it: it is kept beside the programs.
    """

    name: str
    version: str
    version_variables: tuple[str, ...] = ()
    manifests: tuple[str, str] | None = None

    @property
    def flags(self) -> list[str]:
        versions = [f"-X {variable}={self.version}" for variable in self.version_variables]
        return ["-mod=readonly", "-trimpath", " ".join(["-ldflags=-s -w", *versions])]

    def digest(self, compiler: str) -> str:
        digest = hashlib.sha256(" ".join([compiler, *self.flags]).encode())
        for name in PINS:
            digest.update((MODULES / self.name / name).read_bytes())
        return digest.hexdigest()[:12]


COMPOSE = ProgramGroup("compose", "v2.40.3", ("github.com/docker/compose/v2/internal.Version",))
COREDNS = ProgramGroup("coredns", "v1.12.4")
ETCD = ProgramGroup("etcd", "v3.6.16")
KUBERNETES = ProgramGroup(
    "kubernetes", "v1.34.4", ("k8s.io/component-base/version.gitVersion", "k8s.io/client-go/pkg/version.gitVersion")
)
TRAEFIK = ProgramGroup("traefik", "v3.6.12", ("github.com/traefik/traefik/v3/pkg/version.Version",))
KEDA = ProgramGroup(
    "keda",
    "v2.21.0",
    ("github.com/kedacore/keda/v2/version.Version",),
    manifests=("github.com/kedacore/keda/v2", "config"),
)
GROUPS = (COMPOSE, ETCD, COREDNS, KUBERNETES, TRAEFIK, KEDA)


def build_programs(group: ProgramGroup, cache: Path) -> Path:
    """The folder of the group's programs, built where this version is not there yet. Raises BuildError."""
    if shutil.which("go") is None:
        raise BuildError(f"{group.name} is built with Go, which is not installed: apt-get install golang-go")
    cache.mkdir(parents=True, exist_ok=True)
    folder = _folder(group, cache)
    with one_at_a_time(cache / f"{group.name}.lock"):
        if not folder.is_dir():
            _build(group, folder)
    return folder


def is_built(group: ProgramGroup, cache: Path) -> bool:
    """Raises BuildError where there is no Go."""
    return _folder(group, cache).is_dir()


def _folder(group: ProgramGroup, cache: Path) -> Path:
    return cache / f"{group.name}-{group.version}-{group.digest(_compiler())}"


def _build(group: ProgramGroup, folder: Path) -> None:
    """The folder appears when all programs are in it."""
    with tempfile.TemporaryDirectory(dir=folder.parent) as unfinished:
        programs = Path(unfinished, "programs")
        programs.mkdir()
        command = ["go", "build", *group.flags, "-o", f"{programs}/", "tool"]
        _run_go(command, MODULES / group.name, BUILD_SECONDS)
        if group.manifests is not None:
            _copy_manifests(group, *group.manifests, programs)
        programs.replace(folder)


def _copy_manifests(group: ProgramGroup, module: str, folder: str, target: Path) -> None:
    """Files alone: folders of a module may not be written to."""
    command = ["go", "list", "-m", "-f={{.Dir}}", module]
    source = Path(_run_go(command, MODULES / group.name, VERSION_SECONDS).strip())
    for file in (source / folder).rglob("*.yaml"):
        copy = target / file.relative_to(source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)


def _compiler() -> str:
    return _run_go(["go", "env", "GOVERSION", "GOOS", "GOARCH"], MODULES, VERSION_SECONDS)


def _run_go(command: list[str], folder: Path, seconds: float) -> str:
    environment = {**os.environ, "CGO_ENABLED": "0"}
    try:
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired as problem:
        raise BuildError(f"{command[1]} in {folder} was not done in {seconds:g} seconds") from problem
    if done.returncode != 0:
        raise BuildError(f"go {command[1]} in {folder} ended with {done.returncode}: {done.stderr[-2_000:]}")
    return done.stdout
