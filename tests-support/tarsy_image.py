"""The image of deploy/Dockerfile, built by buildah without a container engine, and processes in it.

A process has what its container would have: our user, a root that it cannot write to, a /tmp in memory, and the folders
that docker-compose.yml mounts. It has the machine's network.
"""

import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tarsy_programs import require_programs
from tarsy_testing import cache_dir

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = ("buildah", "debootstrap", "unshare", "nginx")
SUITE = "trixie"
BASE = "localhost/debian:trixie-slim"
BUILD_SECONDS = 1_200
USER = "10001:10001"
FROM_THE_MACHINE = ("/etc/ssl/certs", "/etc/pip.conf", "/etc/resolv.conf", "/etc/hosts")
"""How the registry of packages is reached is the machine's business, and stays out of the image."""
LEFT_OUT = ("doc", "info", "locale", "man")
"""Folders of /usr/share that debian:trixie-slim does not have either."""


def require_builder() -> None:
    """Leaves the test out where an image cannot be built."""
    require_programs(*PROGRAMS)
    if os.geteuid() == 0:
        return
    if os.environ.get("CI", "").lower() not in ("", "0", "false"):
        pytest.fail("only root may build the image")
    pytest.skip("only root may build the image")


@dataclass(frozen=True, slots=True)
class Image:
    """`root` is its file system. `name` is that of its target in deploy/Dockerfile, too."""

    root: Path
    name: str

    def command(self, command: Sequence[str], mounts: Mapping[str, Path]) -> list[str]:
        """Starts as root, and gives that up. The process has the id of the one that is started."""
        binds = [f"mount --bind {shlex.quote(str(own))} $R{inside}" for inside, own in mounts.items()]
        script = [
            f"R={shlex.quote(str(self.root))}",
            "mount --bind $R $R",
            *binds,
            "mount --bind -o ro /dev $R/dev",
            "mount -t proc proc $R/proc",
            "mount -o remount,bind,ro $R",
            *(f"mount -o remount,bind,ro $R{inside}" for inside in mounts),
            "mount -t tmpfs -o mode=1777 tmpfs $R/tmp",
            f'exec setpriv --no-new-privs chroot --userspec={USER} $R "$@"',
        ]
        return ["unshare", "--mount", "sh", "-ec", "\n".join(script), "sh", "tini", "--", *command]

    def environment(self, given: Mapping[str, str]) -> dict[str, str]:
        """The image says some of it, the rest is given to the container; the machine gives nothing."""
        return {**self._own_environment(), "HOME": "/tmp", **given}

    def _own_environment(self) -> Mapping[str, str]:
        lines = _inspected(self.name, "{{range .OCIv1.Config.Env}}{{println .}}{{end}}").splitlines()
        return dict(line.split("=", 1) for line in lines if line)

    def run(
        self, command: Sequence[str], *, given: Mapping[str, str], mounts: Mapping[str, Path], seconds: float
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(command, mounts),
            env=self.environment(given),
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )


@contextmanager
def built_image(folder: Path, mount_points: Sequence[str], *, name: str = "tarsy") -> Iterator[Image]:
    """`mount_points` are folders that processes get mounted; an engine makes them by itself."""
    require_builder()
    _make_base(folder)
    binds = [part for path in FROM_THE_MACHINE if Path(path).exists() for part in ("-v", f"{path}:{path}:ro")]
    base = ("--build-arg", f"BASE={BASE}")
    _buildah("bud", "--quiet", *binds, *base, "-f", "deploy/Dockerfile", "--target", name, "-t", name, ".")
    container = _buildah("from", name).strip()
    try:
        root = Path(_buildah("mount", container).strip())
        for inside in (*mount_points, "/dev", "/proc", "/tmp"):
            (root / inside.lstrip("/")).mkdir(parents=True, exist_ok=True)
        yield Image(root, name)
    finally:
        _buildah("rm", container)


def _make_base(folder: Path) -> None:
    """Stands in for debian:trixie-slim, which is made of the same packages."""
    if BASE in _buildah("images", "--format", "{{.Name}}:{{.Tag}}"):
        return
    root = folder / SUITE
    # With the certificates already, as the machine's are mounted over them, where a package could not write.
    _run("debootstrap", "--variant=minbase", "--include=ca-certificates", SUITE, str(root))
    for part in LEFT_OUT:
        shutil.rmtree(root / "usr/share" / part, ignore_errors=True)
    for part in ("apt/archives", "apt/lists"):
        shutil.rmtree(root / ("var/cache" if part == "apt/archives" else "var/lib") / part, ignore_errors=True)
    container = _buildah("from", "scratch").strip()
    _buildah("add", "--quiet", container, str(root), "/")
    _buildah("commit", "--quiet", "--rm", container, BASE)
    shutil.rmtree(root)


def _inspected(name: str, template: str) -> str:
    return _buildah("inspect", "--type", "image", "--format", template, name)


def _buildah(*arguments: str) -> str:
    store = cache_dir() / "buildah"
    return _run("buildah", "--root", str(store / "store"), "--runroot", str(store / "run"), *arguments)


def _run(*command: str) -> str:
    environment = {**os.environ, "BUILDAH_ISOLATION": "chroot"}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=BUILD_SECONDS, check=False
    )
    assert done.returncode == 0, f"{' '.join(command[:4])} ...: {(done.stdout + done.stderr)[-4_000:]}"
    return done.stdout
