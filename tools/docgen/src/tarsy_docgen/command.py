"""`python -m tarsy_docgen`: for those who work on TARSy itself."""

from pathlib import Path
from typing import Annotated

import typer

from tarsy_docgen import documents

cli = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@cli.command()
def generate(
    root: Annotated[Path, typer.Option(help="the root of the repository")] = Path(),
    check: Annotated[bool, typer.Option("--check", help="fail when they are not what the code says")] = False,
) -> None:
    """Write what is generated from the code: schemas/, pages of docs/reference/, and dashboards of deploy/grafana/."""
    try:
        if not check:
            documents.write(root)
            return
        drift = documents.check(root)
    except documents.BreakingChangeError as refusal:
        raise _fail(str(refusal)) from None
    if drift:
        raise _fail("What is generated is not what the code says; run `make schemas`:\n" + "\n".join(drift))


def _fail(message: str) -> typer.Exit:
    typer.echo(message, err=True)
    return typer.Exit(1)
