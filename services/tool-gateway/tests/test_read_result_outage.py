"""`read_result` while there is no Kafka."""

import pytest
from gateway_owner import call

from tarsy_bus.client.connection import Bus
from tarsy_contracts.builtin_tools import OWN_SERVER, READ_RESULT
from tarsy_contracts.messages.requests import LogPosition, ResultPlace
from tarsy_contracts.wire.topics import Topics
from tarsy_processes.ports import free_port
from tarsy_tool_gateway.builtin.read_result.tool import read_result_tool
from tarsy_tool_gateway.builtin.tool_server import BuiltinToolServer


@pytest.mark.timing
async def test_it_waits_out_its_time_and_then_says_that_kafka_could_not_be_reached() -> None:
    bus = Bus(bootstrap=f"127.0.0.1:{free_port()}", topics=Topics("none"), client="test")
    place = ResultPlace(call_id="call", event=LogPosition(partition=0, offset=0), stored=None)
    request = call(READ_RESULT, server=OWN_SERVER, repeatable=True, timeout=3).model_copy(update={"reads": place})
    said = await BuiltinToolServer({READ_RESULT: read_result_tool(bus)}).call(request)
    assert said.outcome == "unavailable"
    assert said.text.endswith("at the moment. Kafka could not be reached in time: KafkaConnectionError.")
