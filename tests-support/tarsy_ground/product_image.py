"""The images of deploy/Dockerfile, built by a real engine."""

import hashlib
import subprocess
from pathlib import Path

from tarsy_ground.engine import Engine
from tarsy_ground.kept_images import KeptImages
from tarsy_ground.machine_base import MACHINE_BASE, build_image, build_machine_base

ROOT = Path(__file__).resolve().parent.parent.parent
DOCKERFILE = "deploy/Dockerfile"
TARSY = "tarsy:0.1.0"
TARSY_DEMO = "tarsy-demo:0.1.0"
CONTEXT = (".dockerignore", "LICENSE", "apps", "deploy", "examples/incidents", "examples/lab", "libs", "services")
LIST_SECONDS = 60


def build_product(engine: Engine, target: str, name: str, root: Path = ROOT) -> None:
    base = ("--build-arg", f"BASE={MACHINE_BASE}")
    build_image(engine, name, root, *base, "--file", str(root / DOCKERFILE), "--target", target)


def kept_product() -> KeptImages:
    """The image of the demo, which a node is given. It is another one with each commit."""
    return KeptImages("images", product_digest(), (TARSY_DEMO,), _build_demo)


def _build_demo(engine: Engine) -> None:
    build_machine_base(engine)
    build_product(engine, "tarsy-demo", TARSY_DEMO)


def product_digest() -> str:
    """Another one where a file is another that an image is built from."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *CONTEXT]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=LIST_SECONDS, check=True)
    digest = hashlib.sha256()
    for name in sorted(set(listed.stdout.split("\0")) - {""}):
        if (ROOT / name).is_file():
            digest.update(name.encode() + b"\0" + (ROOT / name).read_bytes())
    return digest.hexdigest()[:12]
