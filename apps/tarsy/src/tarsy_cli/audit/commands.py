"""`tarsy audit`: who asked for what."""

from typing import TYPE_CHECKING, Annotated

import typer

from tarsy_cli.console.terminal import get_console, print_json, say
from tarsy_cli.kafka_of_home import KafkaOption, PrefixOption, bus_of_home, exit_on_kafka_failure
from tarsy_cli.options import DEFAULT_HOME, HomeOption, JsonOption

if TYPE_CHECKING:
    from tarsy_cli.audit.acts import RecordedAct

LIMIT = 50
NONE = "Nobody has asked for a change."


def audit(
    name: Annotated[str, typer.Option(help="only what this person or key did")] = "",
    session: Annotated[str, typer.Option(help="only about this session; its id, or the beginning of it")] = "",
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=100_000, help="how many of the newest")] = LIMIT,
    as_json: JsonOption = False,
    kafka: KafkaOption = "",
    topic_prefix: PrefixOption = "",
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """List who asked TARSy to change something: when, by which key or token, and from where.

    Each act is recorded before it is done. Its session says whether it was done.
    """
    import asyncio

    from tarsy_cli.audit.acts import ActFilter, read_acts

    bus = bus_of_home(home, kafka, topic_prefix)
    with exit_on_kafka_failure(bus):
        found = asyncio.run(read_acts(bus, ActFilter(name, session), limit))
    if as_json:
        print_json(found)
        return
    if not found.acts:
        say(NONE)
    for act in found.acts:
        _print_act(act)


def _print_act(act: "RecordedAct") -> None:
    from rich.text import Text

    from tarsy_local.terminal_text import one_line

    by = f" by {one_line(act.credential)}" if act.credential else ""
    about = [act.session_id, *(f"{key}={value}" for key, value in act.target.items())]
    console = get_console()
    times = f"  {act.times} times" if act.times > 1 else ""
    console.print(Text(f"{act.time.astimezone():%m-%d %H:%M:%S}  {one_line(act.name)}  {act.act}{times}", style="bold"))
    console.print(Text(f"  {act.door}{by} from {act.address or '?'}  {one_line(' '.join(about))}".rstrip()))
