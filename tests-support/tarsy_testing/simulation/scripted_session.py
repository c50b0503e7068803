"""One investigation with scripted models and tools: our services as they are, with two gateways, in virtual time.

The script's `needs` prove what reached the model.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from random import Random

from pydantic import JsonValue
from structlog.testing import capture_logs

from tarsy_bus.client.publisher import Publisher
from tarsy_config.config import Config
from tarsy_contracts.alert import Alert
from tarsy_contracts.builtin_tools import OWN_SERVER
from tarsy_contracts.messages.inputs import AlertReceived, InboxInput
from tarsy_contracts.messages.requests import ToolCallRequest
from tarsy_contracts.wire.topics import Topics
from tarsy_testing.simulation.broker import Broker
from tarsy_testing.simulation.investigation import ALERT, SESSION
from tarsy_testing.simulation.outside import Tool, ToolServer, models
from tarsy_testing.simulation.services import Gateway, Orchestrator, Summarizer, bus_of, in_memory
from tarsy_testing.simulation.virtual_time import VirtualLoop
from tarsy_tool_gateway.builtin.read_result.tool import read_result_tool
from tarsy_tool_gateway.tool_servers import ToolOutput
from tarsy_verification.invariants import ToolRun
from tarsy_verification.session_log import LogReading, SessionLog
from tarsy_worker.runner import MayStart, always

MOST_LOOKS = 240
WITHOUT_RUNBOOK = ALERT.model_copy(update={"runbook_url": None})

type Script = Sequence[Mapping[str, JsonValue]]
type Tools = Mapping[str, Sequence[Tool]]
"""By the name of their server."""
type Person = Callable[[SessionLog], InboxInput | None]
NO_OTHERS: Mapping[str, Script] = {}


class OwnTools(ToolServer):
    """Those of a gateway; they are in no catalog."""

    def __init__(self, broker: Broker) -> None:
        super().__init__(())
        self._read = read_result_tool(bus_of(broker, "gateway"))

    async def call(self, request: ToolCallRequest, may_start: MayStart = always) -> ToolOutput:
        return await self._read(request)


def play(
    script: Script,
    config: Config,
    tools: Tools,
    alert: Alert = WITHOUT_RUNBOOK,
    others: Mapping[str, Script] = NO_OTHERS,
) -> SessionLog:
    """Returns the log of the session, once it has ended. `others`: the scripts of providers beside `steady`."""
    return play_with_person(script, config, tools, lambda log: None, alert, others)[0]


def play_with_person(
    script: Script,
    config: Config,
    tools: Tools,
    person: Person,
    alert: Alert = WITHOUT_RUNBOOK,
    others: Mapping[str, Script] = NO_OTHERS,
) -> tuple[SessionLog, list[ToolRun]]:
    """Returns what ran, too. `person` looks at the log twice a second, and does something once at most."""
    with capture_logs(), asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(_play({**others, "steady": script}, config, tools, person, alert))


async def _play(
    scripts: Mapping[str, Script], config: Config, tools: Tools, person: Person, alert: Alert
) -> tuple[SessionLog, list[ToolRun]]:
    loop = asyncio.get_running_loop()
    broker = Broker(Topics("t"), Random(1), loop.time)
    llms = models(scripts, [])
    with in_memory(broker):
        servers = {name: ToolServer(offered) for name, offered in tools.items()} | {OWN_SERVER: OwnTools(broker)}
        services: Sequence[Orchestrator | Gateway | Summarizer] = [
            Orchestrator("orchestrator", broker, config, llms),
            Gateway("gateway-1", broker, servers),
            Gateway("gateway-2", broker, servers),
            Summarizer("summarizer", broker, llms),
        ]
        tasks = [loop.create_task(service.run()) for service in services]
        publisher = Publisher(bus_of(broker, "people"), source="people", now=broker.now)
        async with publisher.running():
            topic = broker.topics.inbox
            await publisher.publish(topic, AlertReceived(alert=alert), key=SESSION, id="alert", subject=SESSION)
            said: InboxInput | None = None
            for _ in range(MOST_LOOKS):
                if (log := _log(broker)).ended:
                    break
                if said is None and (said := person(log)) is not None:
                    await publisher.publish(topic, said, key=SESSION, id="person", subject=SESSION)
                await asyncio.sleep(0.5)
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks, timeout=60)
    return _log(broker), [run for server in servers.values() for run in server.runs]


def _log(broker: Broker) -> SessionLog:
    reading = LogReading()
    for record in broker.everything(broker.topics.sessions):
        reading.take(record)
    return reading.sessions.get(SESSION, SessionLog())
