"""`make chaos`, or `PYTHONPATH=tests-support python -m tarsy_chaos`."""

import asyncio
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from aiokafka.errors import KafkaError
from rich.console import Console

from tarsy_bus.client.access import KafkaAccessError
from tarsy_bus.client.connection import Bus
from tarsy_bus.topics.topics_admin import WrongTopicsError, check_topics
from tarsy_chaos.lives import ChaosError
from tarsy_chaos.plan import strikes
from tarsy_chaos.rounds import ChaosSetup, Round, play
from tarsy_cli.api import ApiError
from tarsy_cli.chat.asking import send_question
from tarsy_cli.console.terminal import fail, get_console, say
from tarsy_cli.lab.demo import send_incident
from tarsy_cli.options import DEFAULT_HOME, HomeOption
from tarsy_cli.topic_commands import kafka_security
from tarsy_contracts.wire.topics import Topics
from tarsy_lab.incidents import InvalidIncidentError, read_incident
from tarsy_local.instance import Home, Instance
from tarsy_local.instance_kafka import security_of_instance

DEFAULT_INCIDENT = Path("examples/incidents/crash-loop")
DEFAULT_CALLS = Path(".tarsy/lab-calls.jsonl")


def chaos(
    home: HomeOption = DEFAULT_HOME,
    seed: Annotated[int, typer.Option(help="chooses when each process dies; the same seed, the same moments")] = 1,
    rounds: Annotated[int, typer.Option(help="how often every service is killed", min=1, max=100)] = 1,
    only: Annotated[str, typer.Option(help="only this service")] = "",
    incident: Annotated[Path, typer.Option(help="the folder of the incident")] = DEFAULT_INCIDENT,
    calls: Annotated[Path, typer.Option(help="where the lab notes which tools it ran")] = DEFAULT_CALLS,
) -> None:
    """Kill every service in turn (kill -9), in an investigation and in a reply; check what was lost or doubled."""
    place = Home(home)
    instance = _with_processes(place)
    try:
        sent = read_incident(incident)
    except InvalidIncidentError as problem:
        raise fail(str(problem)) from None
    quiet = Console(quiet=True)
    security = security_of_instance(instance) or kafka_security()
    bus = Bus(instance.kafka, Topics(instance.topic_prefix), client="tarsy-chaos", security=security)

    def ask(api: str, session_id: str) -> None:
        send_question(api, session_id, sent.question, lambda _: None)

    send = partial(send_incident, incident=sent, console=quiet)
    setup = ChaosSetup(place, bus, send, ask if sent.question else None, calls)

    async def play_all() -> int:
        """The number of rounds that went wrong."""
        await check_topics(bus)
        first = await play(setup, None)
        tell(first)
        undisturbed = first.log if first.comparable else None
        wrong = int(bool(first.faults))
        for strike in strikes(seed=seed, rounds=rounds):
            if only in ("", strike.service):
                played = await play(setup, strike, undisturbed)
                tell(played)
                wrong += bool(played.faults)
        return wrong

    def tell(played: Round) -> None:
        get_console().print(played.line(), style="red" if played.faults else "green", markup=False)

    try:
        wrong = asyncio.run(play_all())
    except (ChaosError, ApiError, WrongTopicsError, KafkaAccessError, KafkaError, OSError) as problem:
        raise fail(str(problem)) from None
    if wrong:
        raise fail(f"{wrong} rounds went wrong; seed {seed} plays them again.")
    say("Every investigation and every reply ended completed, as undisturbed, and nothing destructive ran twice.")


def _with_processes(home: Home) -> Instance:
    instance = home.find_running()
    if instance is None or instance.state != "ready":
        raise fail(
            f"No TARSy is ready in {home.folder}: start one with `tarsy up --processes --instances tool-gateway=3`."
        )
    if not any(process.http for process in instance.processes):
        raise fail("All services run in one process here: start TARSy with `--processes`, so that each can be killed.")
    return instance


if __name__ == "__main__":
    typer.run(chaos)
