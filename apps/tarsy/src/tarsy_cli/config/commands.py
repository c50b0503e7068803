"""`tarsy config check` and `tarsy config show`."""

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tarsy_cli.terminal import fail, say

if TYPE_CHECKING:
    from tarsy_config.config import Config

PROVIDERS_FILE = "llm-providers.yaml"


def check(path: Annotated[Path, typer.Argument(help="tarsy.yaml, or its folder")]) -> None:
    """Say every mistake of a configuration, with its line and what would be right, or what it has.

    The exit code is 1 when there are mistakes.
    """
    from tarsy_cli.config.summary import summary_of

    for line in summary_of(read_config(path)):
        say(line)


def show(
    path: Annotated[Path, typer.Argument(help="tarsy.yaml, or its folder", envvar="TARSY_CONFIG_DIR")] = Path("config"),
    as_json: Annotated[bool, typer.Option("--json", help="for machines")] = False,
) -> None:
    """Show the plan for each alert type: the value of every setting, and where it comes from. Secrets are not shown."""
    from tarsy_cli.config.effective import effective
    from tarsy_cli.config.lines import lines_of

    found = effective(read_config(path), os.environ)
    if as_json:
        typer.echo(json.dumps(found, indent=2))
        return
    for line in lines_of(found):
        say(line)


def read_config(path: Path) -> "Config":
    """Ends the command when the configuration has mistakes."""
    # Here, as it takes a moment to import: other commands would wait for it.
    from tarsy_config.errors import InvalidConfigError
    from tarsy_config.load import MAIN, load_config
    from tarsy_tool_gateway.masking import check_custom_patterns

    is_file = path.is_file() or (path.suffix in (".yaml", ".yml") and not path.is_dir())
    folder = path.parent if is_file else path
    name = path.name if is_file and path.name != PROVIDERS_FILE else MAIN
    try:
        return load_config(folder, os.environ, also=(check_custom_patterns,), main_file=name)
    except InvalidConfigError as problem:
        raise fail(str(problem)) from None
