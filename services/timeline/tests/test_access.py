"""Access matrix of the timeline: every route, with every kind of credential."""

from prometheus_client import CollectorRegistry

from tarsy_access import Case, check_each_route_has_one_right, matrix, status_of
from tarsy_timeline.app import build
from tarsy_timeline.rights import RIGHTS
from tarsy_timeline.settings import TimelineSettings


def test_each_route_has_exactly_one_right() -> None:
    settings = TimelineSettings.model_validate({"database": "postgresql://nobody@127.0.0.1:1/none"})
    check_each_route_has_one_right(build(settings, CollectorRegistry()))


@matrix(RIGHTS)
async def test_a_route_is_for_its_role_and_those_above(case: Case) -> None:
    assert await status_of(case, RIGHTS) == case.status
