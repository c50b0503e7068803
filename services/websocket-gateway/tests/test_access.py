"""Access matrix of the gateway: the WebSocket and the page, with every kind of credential."""

from prometheus_client import CollectorRegistry

from tarsy_testing.access import Case, check_each_route_has_one_right, matrix, status_of
from tarsy_websocket_gateway.app import build
from tarsy_websocket_gateway.rights import RIGHTS
from tarsy_websocket_gateway.settings import GatewaySettings


def test_each_route_has_exactly_one_right() -> None:
    check_each_route_has_one_right(build(GatewaySettings(), CollectorRegistry()))


@matrix(RIGHTS)
async def test_a_route_is_for_its_role_and_those_above(case: Case) -> None:
    assert await status_of(case, RIGHTS) == case.status
