"""The contracts alone: whoever wants to read our topics needs them, pydantic, and nothing else."""

import json
import os
import subprocess
import sys
from pathlib import Path

import tarsy_contracts

PARTS_OF_PYDANTIC = {"pydantic", "pydantic_core", "annotated_types", "typing_extensions", "typing_inspection"}
ROOT = Path(tarsy_contracts.__path__[0])
MODULES = sorted(
    ".".join(("tarsy_contracts", *file.relative_to(ROOT).with_suffix("").parts)) for file in ROOT.rglob("[!_]*.py")
)
SCRIPT = f"""
import importlib, json, sys
before = set(sys.modules)
for module in {MODULES}:
    importlib.import_module(module)
print(json.dumps(sorted({{name.partition(".")[0] for name in set(sys.modules) - before}})))
"""


def test_the_package_imports_nothing_but_pydantic_and_the_standard_library() -> None:
    """In a process of its own: here everything is imported already. Plug-ins of pydantic are not our imports."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env=os.environ | {"PYDANTIC_DISABLE_PLUGINS": "__all__"},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    imported = {name for name in json.loads(done.stdout) if not name.startswith("_sysconfigdata_")}
    assert "tarsy_contracts" in imported
    assert imported - {"tarsy_contracts"} - PARTS_OF_PYDANTIC - sys.stdlib_module_names == set()
