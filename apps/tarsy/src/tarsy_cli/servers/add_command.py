"""`tarsy servers add`."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tarsy_cli.console.terminal import fail, say

if TYPE_CHECKING:
    from tarsy_cli.servers.cookbook import Recipe


def add(
    system: Annotated[str, typer.Argument(help="a system of the cookbook; a list of them when it is left out")] = "",
    name: Annotated[str, typer.Option("--as", help="another name for the server in tarsy.yaml")] = "",
    config: Annotated[Path, typer.Option(help="tarsy.yaml, or its folder", envvar="TARSY_CONFIG_DIR")] = Path("config"),
    prints: Annotated[bool, typer.Option("--print", help="print the entry, and write nothing")] = False,
) -> None:
    """Add the MCP server of a system to tarsy.yaml, or list the systems of the cookbook.

    Everything else in the file stays as it is. Secrets are never written: the entry names environment variables.
    """
    from tarsy_cli.servers.cookbook import read_cookbook

    cookbook = read_cookbook()
    if not system:
        for key, recipe in cookbook.items():
            say(f"{key:12}  {recipe.system:30}  {recipe.package}")
        return
    if system not in cookbook:
        raise fail(f"The cookbook has no {system}. It has {', '.join(cookbook)}.")
    recipe = cookbook[system]
    if prints:
        say(recipe.server.rstrip("\n"))
        return
    file = config / "tarsy.yaml" if config.is_dir() else config
    _write(file, name or system, recipe)
    _print_what_is_next(file, name or system, recipe)


def _write(file: Path, name: str, recipe: "Recipe") -> None:
    """Ends the command where the file cannot be read, or added to."""
    from tarsy_cli.servers.cookbook import NAME
    from tarsy_cli.servers.insertion import ServerNotAddedError, insert_server

    if NAME.fullmatch(name) is None:
        raise fail(f"{name} cannot be a name: use small letters, digits and -.")
    try:
        changed = insert_server(_read(file), name, recipe.server)
        _replace(file, changed)
    except ServerNotAddedError as problem:
        raise fail(f"{file}: nothing was written, as {problem}. `--print` prints the entry.") from None
    except (OSError, UnicodeDecodeError) as problem:
        raise fail(f"{file}: nothing was written: {problem}.") from None


def _read(file: Path) -> str:
    """With its line ends."""
    return file.read_bytes().decode("utf-8")


def _replace(file: Path, text: str) -> None:
    """In one step: whoever reads the configuration meanwhile finds the old one or the new one, also through a link."""
    target = file.resolve()
    new = target.with_name(f".{target.name}.new")
    new.write_bytes(text.encode("utf-8"))
    new.chmod(target.stat().st_mode & 0o777)
    new.replace(target)


def _print_what_is_next(file: Path, name: str, recipe: "Recipe") -> None:
    say(f"{name} is in {file} now. Rights it needs: {recipe.rights}")
    missing = [(key, meaning) for key, meaning in recipe.variables.items() if key not in os.environ]
    if missing:
        say("Set these for every service that reads the configuration:")
    for key, meaning in missing:
        say(f"  {key}: {meaning}")
    say(f"Name it in `mcp_servers` of an agent, then: tarsy config check {file}")
    if recipe.unverified:
        say(f"Not tried here: {recipe.unverified}")
    say(f"A good first question: {recipe.ask}")
