"""One engine and one node for all tests of `make ground`."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tarsy_ground.base_image import import_base
from tarsy_ground.cluster.access import Keys
from tarsy_ground.cluster.configuration import write_compose_configuration
from tarsy_ground.cluster.images import cluster_images
from tarsy_ground.cluster.installation import Installation, install_parts
from tarsy_ground.cluster.kubectl import Kubectl
from tarsy_ground.cluster.node import import_images, running_node
from tarsy_ground.cluster.reconfiguration import ConfiguredTarsy, configure
from tarsy_ground.compose_images import provide_images
from tarsy_ground.composition import Composition
from tarsy_ground.engine import Engine, running_engine
from tarsy_ground.inside import InsideClient
from tarsy_ground.network import network_namespace
from tarsy_ground.product_image import kept_product
from tarsy_ground.programs import COMPOSE, COREDNS, GROUPS, KEDA, TRAEFIK, build_programs, is_built
from tarsy_ground.requirements import PROGRAMS, missing_requirements
from tarsy_ground.traces import traces
from tarsy_testing.chart import demand_helm
from tarsy_testing.programs import in_ci, require_programs
from tarsy_testing.real_servers import cache_dir
from tarsy_testing.servers.mcp_install import kubernetes_mcp_server

CACHE = cache_dir() / "ground"
BRIDGE_PLUGIN = "/usr/lib/cni/bridge"


def require_kept_programs() -> None:
    """In CI nobody waits until they are built: that takes 40 minutes, once."""
    require_programs("go")
    missing = [group.name for group in GROUPS if not is_built(group, CACHE)]
    if missing and in_ci():
        pytest.skip(
            f"not built on this machine yet: {', '.join(missing)} (`make ground` without CI does so, and keeps them)"
        )


@pytest.fixture(scope="session")
def able_machine() -> None:
    missing = missing_requirements()
    if missing:
        pytest.skip(" ".join(missing))
    require_programs(*PROGRAMS)
    require_kept_programs()


@pytest.fixture(scope="session")
def engine(able_machine: None) -> Iterator[Engine]:
    with network_namespace() as network, running_engine(network.folder / "engine", network) as engine:
        import_base(engine, CACHE)
        yield engine


@pytest.fixture(scope="session")
def compose_program() -> Path:
    require_kept_programs()
    return build_programs(COMPOSE, CACHE) / "cmd"


@pytest.fixture(scope="session")
def traefik(able_machine: None) -> Path:
    return build_programs(TRAEFIK, CACHE) / "traefik"


@pytest.fixture(scope="session")
def keda_programs(able_machine: None) -> Path:
    return build_programs(KEDA, CACHE)


@pytest.fixture(scope="session")
def stocked_engine(engine: Engine) -> Engine:
    """Has the images that docker-compose.yml names, but for ours."""
    provide_images(engine, CACHE)
    return engine


@pytest.fixture(scope="session")
def composition(compose_program: Path, stocked_engine: Engine) -> Iterator[Composition]:
    # The node waits for it. Compose finds each of its layers built.
    kept_product().archive(CACHE, lambda: stocked_engine)
    composition = Composition(compose_program, stocked_engine)
    try:
        composition.up()
        yield composition
    finally:
        composition.down()


@pytest.fixture(scope="session")
def inside(engine: Engine) -> InsideClient:
    return InsideClient(engine.network)


@pytest.fixture(scope="session")
def image_archives(able_machine: None, request: pytest.FixtureRequest) -> list[Path]:
    """An engine is started only where they have to be built."""
    demand_helm()
    require_programs(BRIDGE_PLUGIN, "git")
    coredns = build_programs(COREDNS, CACHE) / "coredns"
    return [kept.archive(CACHE, lambda: request.getfixturevalue("engine")) for kept in cluster_images(coredns)]


@pytest.fixture(scope="session")
def node(image_archives: list[Path]) -> Iterator[Kubectl]:
    """When it has ended, nothing of it is left on the machine."""
    with (
        network_namespace() as network,
        running_node(network.folder / "node", network, image_archives, CACHE) as kubectl,
    ):
        yield kubectl
    assert traces(network.name, network.folder) == []


@pytest.fixture(scope="session")
def tarsy(node: Kubectl, work_folder: Path, request: pytest.FixtureRequest) -> Installation:
    """With the configuration of Compose."""
    install_parts(node)
    product = kept_product().archive(CACHE, lambda: request.getfixturevalue("engine"))
    import_images(node.sandbox, [product])
    installation = Installation(node, Keys(), kubernetes_mcp_server())
    installation.write_keys()
    installation.install(write_compose_configuration(work_folder / "compose"))
    return installation


@pytest.fixture(scope="session")
def configured(tarsy: Installation, work_folder: Path) -> ConfiguredTarsy:
    """The same, with chains of the tests, which its pods have read since."""
    return configure(tarsy, work_folder / "configuration")
