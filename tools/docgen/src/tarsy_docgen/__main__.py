"""`python -m tarsy_docgen`."""

from tarsy_docgen.command import cli

if __name__ == "__main__":
    cli(prog_name="tarsy_docgen")
