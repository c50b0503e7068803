"""The command about MCP servers."""

from typing import Annotated

import typer

from tarsy_cli.lists.servers import print_server, print_servers, read_server, read_servers
from tarsy_cli.session_commands import UrlOption, api_of, exit_on_failure
from tarsy_cli.terminal import DEFAULT_HOME, HomeOption, JsonOption, console, print_json


def servers(
    server: Annotated[str, typer.Argument(help="one of them, with its tools; all when none is named")] = "",
    as_json: JsonOption = False,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = "",
) -> None:
    """List the MCP servers as the tool gateways see them, and what is wrong with them."""
    api = api_of(home, url)
    with exit_on_failure(api):
        if as_json:
            print_json(read_server(api, server) if server else read_servers(api))
        elif server:
            print_server(api, server, console)
        else:
            print_servers(api, console)
