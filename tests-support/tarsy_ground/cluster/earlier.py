"""TARSy as it was before, which an upgrade begins with: its chart, and its image.

The last release has neither. Once one has, EARLIER becomes that of `tarsy_testing.system.last_release`.
"""

import subprocess
from pathlib import Path

from tarsy_ground.cluster.installation import Edition
from tarsy_ground.product_image import CONTEXT, ROOT
from tarsy_testing.programs import required_program

EARLIER = "cb66d8a41d08f2ce045121de2198799bfda3897e"
TARSY_EARLIER = "tarsy-demo:earlier"
SECONDS = 60


def check_out_earlier(folder: Path) -> Edition:
    """Raises RuntimeError where the clone is shallow."""
    git = [required_program("git"), "-C", str(ROOT), "archive", "--format=tar", EARLIER, *CONTEXT, "helm"]
    archived = subprocess.run(git, capture_output=True, timeout=SECONDS, check=False)
    if archived.returncode != 0:
        raise RuntimeError(f"git archive: {archived.stderr.decode()} (a shallow clone: git fetch --unshallow)")
    subprocess.run(["tar", "-x", "-C", str(folder)], input=archived.stdout, timeout=SECONDS, check=True)
    return Edition(folder / "helm" / "tarsy", TARSY_EARLIER.partition(":")[2])
