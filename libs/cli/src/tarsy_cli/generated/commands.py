"""`tarsy schemas`: for those who work on TARSy itself."""

from pathlib import Path
from typing import Annotated

import typer

from tarsy_cli.terminal import fail


def schemas(
    root: Annotated[Path, typer.Option(help="the root of the repository")] = Path(),
    check: Annotated[bool, typer.Option("--check", help="fail when they are not what the code says")] = False,
) -> None:
    """Write what is generated from the code: schemas/, and pages of docs/reference/."""
    # Here, as it imports every service: other commands would take two seconds longer.
    from tarsy_cli.generated import documents

    try:
        if not check:
            documents.write(root)
            return
        drift = documents.check(root)
    except documents.Refused as refusal:
        raise fail(str(refusal)) from None
    if drift:
        raise fail("What is generated is not what the code says; run `make schemas`:\n" + "\n".join(drift))
