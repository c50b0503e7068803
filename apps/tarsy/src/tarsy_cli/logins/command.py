"""Commands that log a person in at an MCP server, and out."""

from pathlib import Path
from typing import Annotated

import typer

from tarsy_cli.console.terminal import say
from tarsy_cli.kafka_of_home import KafkaOption, PrefixOption
from tarsy_cli.options import DEFAULT_HOME, HomeOption
from tarsy_local.terminal_text import printable


def login(
    server: Annotated[str, typer.Argument(help="a server of tarsy.yaml with `grant: authorization_code`")],
    scope: Annotated[str, typer.Option(help="more scope than the configuration, or the server, asks for")] = "",
    port: Annotated[
        int,
        typer.Option(
            min=0, max=65_535, help="the port of the listener on 127.0.0.1, if the client is registered with one"
        ),
    ] = 0,
    seconds: Annotated[float, typer.Option(min=1, max=3_600, help="how long the login may take")] = 300.0,
    config: Annotated[Path, typer.Option(help="tarsy.yaml, or its folder", envvar="TARSY_CONFIG_DIR")] = Path("config"),
    kafka: KafkaOption = "",
    topic_prefix: PrefixOption = "",
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """Log in to an MCP server, once, for all tool gateways.

    It prints the address to open in a browser on this machine, and waits for the answer on 127.0.0.1. The tokens are
    encrypted with TARSY_TOKEN_KEY, or the key that `tarsy up` keeps in the home, and written to Kafka.
    """
    from functools import partial

    from tarsy_cli.logins.act import LoginSources, run_act
    from tarsy_cli.logins.login import LoginOptions, log_in_and_record

    log_in = partial(log_in_and_record, options=LoginOptions(scope, port, seconds), show=_show_address)
    found = run_act("login", server, LoginSources(config, home, kafka, topic_prefix), log_in)
    until = f" until {found.ends_at.astimezone():%Y-%m-%d %H:%M:%S}" if found.ends_at is not None else ""
    say(f"Logged in to {server}{until}. Tool gateways use the login within half a minute.")


def logout(
    server: Annotated[str, typer.Argument(help="a server of tarsy.yaml with `grant: authorization_code`")],
    config: Annotated[Path, typer.Option(help="tarsy.yaml, or its folder", envvar="TARSY_CONFIG_DIR")] = Path("config"),
    kafka: KafkaOption = "",
    topic_prefix: PrefixOption = "",
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """Log out of an MCP server, for all tool gateways.

    Its tokens are deleted from Kafka. Where the authorization server can revoke tokens (RFC 7009), it is asked to.
    """
    from tarsy_cli.logins.act import LoginSources, run_act
    from tarsy_cli.logins.logout import log_out

    found = run_act("logout", server, LoginSources(config, home, kafka, topic_prefix), log_out)
    if not found.was_there:
        say(f"Nobody was logged in to {server}.")
    elif found.kept_because:
        say(f"Logged out of {server}. Its authorization server has not revoked the token: {found.kept_because}.")
    else:
        say(f"Logged out of {server}. Its authorization server has revoked the token.")


def _show_address(url: str, waiting: str) -> None:
    say("Open this address in a browser on this machine:")
    # As it is: a line that is broken could not be copied.
    typer.echo(printable(url))
    say(f"Waiting for the answer at {waiting}.")
