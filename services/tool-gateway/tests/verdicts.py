"""What a connection makes of a server at its first attempt."""

from connections import connected, plan_to

from tarsy_testing.real_servers import eventually
from tarsy_tool_gateway.mcp.diagnosis import Diagnosis
from tarsy_tool_gateway.mcp.server_plan import TransportPlan


async def verdict_on(transport: TransportPlan) -> Diagnosis:
    async with connected(plan_to(transport)) as connection:

        async def is_judged() -> bool:
            return connection.diagnosed

        await eventually(is_judged, "the first attempt is over")
        assert not connection.healthy
        return Diagnosis(connection.misconfigured, connection.error)
