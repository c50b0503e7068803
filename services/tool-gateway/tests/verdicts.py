"""What a connection makes of a server at its first attempt."""

from connections import connected, plan_to

from tarsy_testing import eventually
from tarsy_tool_gateway.mcp.diagnosis import Verdict
from tarsy_tool_gateway.mcp.server_plan import TransportPlan


async def verdict_on(transport: TransportPlan) -> Verdict:
    async with connected(plan_to(transport)) as connection:

        async def is_judged() -> bool:
            return connection.judged

        await eventually(is_judged, "the first attempt is over")
        assert not connection.healthy
        return Verdict(connection.misconfigured, connection.error)
