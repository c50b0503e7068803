"""Access matrix of the ingest: every route, with every kind of credential."""

from pathlib import Path

from prometheus_client import CollectorRegistry

from tarsy_ingest.app import build
from tarsy_ingest.rights import RIGHTS
from tarsy_ingest.settings import IngestSettings
from tarsy_testing.access import Case, check_each_route_has_one_right, matrix, status_of


def test_each_route_has_exactly_one_right(config_dir: Path) -> None:
    check_each_route_has_one_right(build(IngestSettings(config_dir=config_dir), CollectorRegistry()))


@matrix(RIGHTS)
async def test_a_route_is_for_its_role_and_those_above(case: Case) -> None:
    assert await status_of(case, RIGHTS) == case.status
