"""`tarsy config check` and `tarsy config show`."""

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tarsy_cli.console.terminal import fail, say
from tarsy_cli.options import DEFAULT_HOME, HomeOption, UrlOption

if TYPE_CHECKING:
    from tarsy_config.config import Config
    from tarsy_contracts.api.agent_tools import AgentTools

PROVIDERS_FILE = "llm-providers.yaml"
LiveOption = Annotated[
    bool, typer.Option("--live", help="also show the tools that each agent has in the running TARSy")
]


def check(
    path: Annotated[Path, typer.Argument(help="tarsy.yaml, or its folder")],
    live: LiveOption = False,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = "",
) -> None:
    """Check a configuration: name each mistake with its line and what would be right, or list what it has.

    The exit code is 1 when there are mistakes; with --live also when an agent has MCP servers, but none of their tools.
    """
    from tarsy_cli.config.summary import summary_of

    config = read_config(path)
    for line in summary_of(config):
        say(line)
    if live:
        _check_live(config, home, url)


def _check_live(config: "Config", home: Path, url: str) -> None:
    from tarsy_cli.lists.agent_tools import agent_lines

    found = _fetch_live_tools(config, home, url)
    for agent in found:
        for line in agent_lines(agent):
            say(line)
    if without := sorted({one.agent.agent for one in found if not one.count}):
        raise fail(f"Agents without tools: {', '.join(without)}.")


def _fetch_live_tools(config: "Config", home: Path, url: str) -> "list[AgentTools]":
    from tarsy_cli.lists.agent_tools import read_listed_servers
    from tarsy_cli.session_commands import api_of, exit_on_failure
    from tarsy_config.chain_agents import chain_agents
    from tarsy_contracts.api.agent_tools import agent_tools

    api = api_of(home, url)
    with exit_on_failure(api):
        return agent_tools(chain_agents(config), read_listed_servers(api))


def show(
    path: Annotated[Path, typer.Argument(help="tarsy.yaml, or its folder", envvar="TARSY_CONFIG_DIR")] = Path("config"),
    as_json: Annotated[bool, typer.Option("--json", help="as JSON, for programs")] = False,
    live: LiveOption = False,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = "",
) -> None:
    """Show the plan for each alert type: the value of every setting, and where it comes from. Secrets are not shown."""
    from tarsy_cli.config.effective import agent_tools_tree, effective
    from tarsy_cli.config.lines import lines_of

    config = read_config(path)
    found = effective(config, os.environ)
    if live:
        found["agent_tools"] = agent_tools_tree(_fetch_live_tools(config, home, url))
    if as_json:
        typer.echo(json.dumps(found, indent=2))
        return
    for line in lines_of(found):
        say(line)


def read_config(path: Path) -> "Config":
    """Ends the command when the configuration has mistakes."""
    # Here, as it takes a moment to import: other commands would wait for it.
    from tarsy_config.errors import InvalidConfigError
    from tarsy_config.loading.load import MAIN, load_config
    from tarsy_tool_gateway.masking import check_custom_patterns

    is_file = path.is_file() or (path.suffix in (".yaml", ".yml") and not path.is_dir())
    folder = path.parent if is_file else path
    name = path.name if is_file and path.name != PROVIDERS_FILE else MAIN
    try:
        return load_config(folder, os.environ, also=(check_custom_patterns,), main_file=name)
    except InvalidConfigError as problem:
        raise fail(str(problem)) from None
