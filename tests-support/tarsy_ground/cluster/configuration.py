"""tarsy.yaml of the tests: that of Compose with chains beside it, and the script of their model."""

from collections.abc import Mapping
from pathlib import Path

import yaml

from tarsy_ground.product_image import ROOT

COMPOSE = ROOT / "deploy" / "compose" / "config" / "tarsy.yaml"
SETTINGS = Path(__file__).resolve().parent / "settings"
POD = "POD_OF_PAYMENTS"


def write_compose_configuration(folder: Path) -> Mapping[str, Path]:
    """The files of the ConfigMap, by their names there."""
    return _write(folder, {"tarsy.yaml": COMPOSE.read_text("utf-8")})


def write_configuration(folder: Path, pod: str) -> Mapping[str, Path]:
    """With chains of the tests; `pod` is the one that crash-loops."""
    base = yaml.safe_load(COMPOSE.read_text("utf-8"))
    for section, entries in yaml.safe_load((SETTINGS / "configuration.yaml").read_text("utf-8")).items():
        base[section].update(entries)
    script = (SETTINGS / "script.yaml").read_text("utf-8").replace(POD, pod)
    return _write(folder, {"tarsy.yaml": yaml.safe_dump(base), "script.yaml": script})


def _write(folder: Path, files: Mapping[str, str]) -> Mapping[str, Path]:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text, "utf-8")
    return {name: folder / name for name in files}
