"""Errors are sentences; the address that was asked stands in them with --verbose."""

import pytest
from typer.testing import CliRunner

from tarsy_cli.app import cli
from tarsy_processes.ports import free_port


def told(*arguments: str) -> str:
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == 1, result.output
    return result.stderr


@pytest.mark.parametrize("command", [("sessions",), ("show", "s"), ("held", "list"), ("result", "s")], ids=" ".join)
def test_an_error_names_the_address_with_verbose_only(command: tuple[str, ...]) -> None:
    url = f"http://127.0.0.1:{free_port()}"

    brief = told(*command, "--url", url)
    verbose = told(*command, "--url", url, "--verbose")
    before = told("--verbose", *command, "--url", url)

    assert brief == "TARSy could not be reached. Does it run, and is the address right?\n"
    assert verbose == before
    assert f"({url}/api/v1/" in " ".join(verbose.split())
    assert told(*command, "--url", url) == brief
