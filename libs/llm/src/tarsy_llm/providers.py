"""From a provider in the configuration to an `Llm`. Plain arguments: this library knows no configuration."""

import asyncio
from pathlib import Path
from typing import Literal, assert_never

from tarsy_llm.protocol import Llm
from tarsy_llm.script import load_script
from tarsy_llm.scripted import ScriptedLlm, Sleep


def build_llm(
    *, type: Literal["scripted"], script: Path, pace_seconds: float = 0.0, sleep: Sleep = asyncio.sleep
) -> Llm:
    """Raises ScriptInvalid. Each provider is built once a process: the scripted one remembers what it failed."""
    match type:
        case "scripted":
            return ScriptedLlm(load_script(script), sleep, pace_seconds=pace_seconds)
        case _:
            assert_never(type)
