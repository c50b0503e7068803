"""`tarsy config route`."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tarsy_cli.config.commands import read_config
from tarsy_cli.console.terminal import fail, say

if TYPE_CHECKING:
    from tarsy_config.config import Config

OVER = "not an alert to investigate: it is resolved, or changes nothing"


def route(
    alert: Annotated[Path, typer.Argument(help="what a sender posts, in any format", exists=True, dir_okay=False)],
    config: Annotated[Path, typer.Option(help="tarsy.yaml, or its folder", envvar="TARSY_CONFIG_DIR")] = Path("config"),
) -> None:
    """Show which chain investigates an alert, and by which rule."""
    for line in routes_of(read_config(config), alert.read_bytes()):
        say(line)


def routes_of(config: "Config", raw: bytes) -> Iterator[str]:
    """One line for each alert. Ends the command when it is none."""
    # Here, as it takes a moment to import: other commands would wait for it.
    from tarsy_cli.config.alerts_of_file import alerts_of
    from tarsy_config.plans.routing import facts_of
    from tarsy_ingest.raw_alert import AlertRejectedError
    from tarsy_local.terminal_text import one_line

    router = config.router()
    try:
        alerts = alerts_of(config, raw)
    except AlertRejectedError as problem:
        raise fail(str(problem)) from None
    for alert in alerts:
        found = router.route(facts_of(alert))
        how = found.chosen_by if found.unmatched else f"chosen by {found.chosen_by}"
        yield f"{one_line(alert.title)}: chain {found.chain_id}, {how}"
    if not alerts:
        yield OVER
