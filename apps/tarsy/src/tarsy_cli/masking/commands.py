"""`tarsy mask`."""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tarsy_cli.console.terminal import fail, say
from tarsy_cli.masking.input_file import UnreadableInputError, text_of

if TYPE_CHECKING:
    from tarsy_cli.masking.listing import Listing
    from tarsy_masking.masker import Masker


def mask(
    files: Annotated[list[Path], typer.Argument(metavar="FILE", help="text files; - is standard input")],
    as_text: Annotated[bool, typer.Option("--text", help="print the masked text, and nothing else")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="as JSON, for programs")] = False,
    server: Annotated[str, typer.Option("--server", help="mask as results of this MCP server are masked")] = "",
    config: Annotated[
        Path, typer.Option("--config", help="the folder of tarsy.yaml, for --server", envvar="TARSY_CONFIG_DIR")
    ] = Path("config"),
    session: Annotated[
        str, typer.Option("--session", help="with the placeholders of this session; needs TARSY_MASKING_KEY")
    ] = "",
) -> None:
    """Show what would be masked in a file, and by which rule. The masked values are never shown.

    Nothing is written, and nothing is sent: no TARSy has to run.
    """
    if as_text and as_json:
        raise fail("--text and --json exclude each other.")
    masker = _make_masker(server, config, session)
    try:
        if as_text:
            _print_texts(masker, files)
        else:
            _print_listing([_list_findings(masker, file) for file in files], as_json=as_json)
    except UnreadableInputError as problem:
        raise fail(str(problem)) from None


def _make_masker(server: str, config: Path, session: str) -> "Masker":
    # Here, as it takes a moment to import: other commands would wait for it.
    from tarsy_cli.masking.rules import InvalidRulesError, masker_for

    try:
        return masker_for(server=server, folder=config, session=session, environ=os.environ)
    except InvalidRulesError as problem:
        raise fail(str(problem)) from None


def _print_texts(masker: "Masker", files: Sequence[Path]) -> None:
    from tarsy_masking.masker import REDACTED

    for file in files:
        masked = masker.mask(text_of(file))
        typer.echo(masked.encode(errors="replace"), nl=False)
        if masked == REDACTED:
            raise UnreadableInputError(f"{file} could not be masked, so all of it is redacted.")


def _list_findings(masker: "Masker", file: Path) -> "Listing":
    from tarsy_cli.masking.listing import Listing
    from tarsy_masking.masker import REDACTED

    findings = masker.findings(text_of(file))
    if any(found.placeholder == REDACTED for found in findings):
        raise UnreadableInputError(f"{file} could not be masked, so all of it would be redacted.")
    return Listing(str(file), findings)


def _print_listing(found: "Sequence[Listing]", *, as_json: bool) -> None:
    from tarsy_cli.masking.listing import lines_of, summary_of, tree_of

    if as_json:
        typer.echo(json.dumps(tree_of(found), indent=2))
        return
    for listing in found:
        for line in lines_of(listing):
            say(line)
    for line in summary_of(found):
        say(line)
