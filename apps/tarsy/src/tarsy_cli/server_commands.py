"""The command about MCP servers."""

from typing import Annotated

import typer

from tarsy_cli.console.terminal import get_console, print_json
from tarsy_cli.options import DEFAULT_HOME, HomeOption, JsonOption, UrlOption
from tarsy_cli.session_commands import api_of, exit_on_failure


def servers(
    server: Annotated[str, typer.Argument(help="one server, with its tools; if left out, all of them")] = "",
    as_json: JsonOption = False,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = "",
) -> None:
    """List the MCP servers as the tool gateways see them, and what is wrong with them."""
    from tarsy_cli.lists.servers import print_server, print_servers, read_server, read_servers

    api = api_of(home, url)
    with exit_on_failure(api):
        if as_json:
            print_json(read_server(api, server) if server else read_servers(api))
        elif server:
            print_server(api, server, get_console())
        else:
            print_servers(api, get_console())
