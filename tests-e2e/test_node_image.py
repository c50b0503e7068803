"""The image with Node.js, `--target tarsy-node`: built when TARSY_TEST_NODE_IMAGE is set, as it takes minutes."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tarsy_image import Image, built_image

VARIABLE = "TARSY_TEST_NODE_IMAGE"
SECONDS = 120.0

pytestmark = [
    pytest.mark.timeout(1_800),
    pytest.mark.skipif(VARIABLE not in os.environ, reason=f"{VARIABLE} is not set"),
]


@pytest.fixture(scope="module")
def image(work_folder: Path) -> Iterator[Image]:
    with built_image(work_folder, [], name="tarsy-node") as image:
        yield image


@pytest.mark.parametrize("program", ["npx", "node", "git", "tarsy"])
def test_a_tool_gateway_can_start_what_npx_fetches(image: Image, program: str) -> None:
    """As our user, on a root that is read-only: npx has a folder for what it keeps."""
    ran = image.run([program, "--version"], given={}, mounts={}, seconds=SECONDS)
    assert ran.returncode == 0, ran.stderr
    print(program, ran.stdout.strip())  # noqa: T201 - people read it
