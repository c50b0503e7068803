"""The cookbook: one entry a system, each a file of `recipes`. The manual's page is made of it, too."""

import re
from functools import cache
from importlib.resources import files
from typing import Final, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field

NAME: Final = re.compile(r"[a-z][a-z0-9-]*")


class Recipe(BaseModel):
    """`server`: its entry below `mcp_servers`, as text, so that its comments come along.

    `variables`: what the entry's templates name. `unverified`: what nobody here could look at.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    system: str
    package: str
    homepage: str
    licence: str
    tested: Literal["started and asked", "configuration checked"]
    rights: str
    ask: str
    variables: dict[str, str] = Field(default_factory=dict)
    unverified: str = ""
    server: str


@cache
def read_cookbook() -> dict[str, Recipe]:
    """By the name that `tarsy servers add` takes, which is that of the file."""
    folder = files("tarsy_cli.servers") / "recipes"
    found = [file for file in folder.iterdir() if file.name.endswith(".yaml")]
    return {
        file.name.removesuffix(".yaml"): Recipe.model_validate(yaml.safe_load(file.read_text("utf-8")))
        for file in sorted(found, key=lambda file: file.name)
    }
