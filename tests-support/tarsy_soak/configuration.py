"""The configuration of a soak: that of the checkout, with endless models, and hostile servers that come and go."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml
from pydantic import JsonValue

from tarsy_soak.endless_answers import ENDLESS_ANSWERS
from tarsy_soak.hostile_server import HOSTILE_KINDS, TOOL

PACE_SECONDS = 0.02
HOSTILE = "hostile"
"""The alert type, chain and agent that ask hostile servers; their names begin so."""
AGENT = "HostileAgent"
ANALYSIS = "The servers were asked; what they said is theirs.\n\nConfidence: low, as nothing of it can be trusted."
SCRIPT = "hostile.yaml"

type Section = dict[str, JsonValue]
type Document = dict[str, Any]
"""Sections as YAML has them; TARSy checks them."""


class SoakConfiguration:
    """`folder` is where services read it, every second. `models`: the address of the endless models."""

    def __init__(self, source: Path, folder: Path, calls: Path, models: str) -> None:
        self.folder = folder
        self._source = source
        self._calls = calls
        self._models = models

    def write(self, hostile: Sequence[str] = ()) -> None:
        """With hostile servers of these kinds, and what asks them. It is replaced in one step."""
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / SCRIPT).write_text(yaml.safe_dump({"turns": hostile_turns()}), encoding="utf-8")
        config = self._benign()
        if hostile:
            names = [server_name(kind) for kind in hostile]
            config["mcp_servers"] |= {server_name(kind): hostile_server(kind) for kind in hostile}
            config["agents"][AGENT] = {"description": "asks hostile servers", "mcp_servers": names}
            stages = [{"name": "investigation", "agents": [{"name": AGENT}]}]
            config["agent_chains"][HOSTILE] = {"alert_types": [HOSTILE], "stages": stages}
        written = self.folder / "tarsy.yaml.new"
        written.write_text(yaml.safe_dump(config), encoding="utf-8")
        os.replace(written, self.folder / "tarsy.yaml")

    def _benign(self) -> Document:
        """With the scripted model, quicker, and with notes of what the tools did."""
        config: Document = yaml.safe_load((self._source / "tarsy.yaml").read_text(encoding="utf-8"))
        providers = config["llm_providers"]
        scripts = [str((self._source / script).resolve()) for script in providers["scripted"]["script"]]
        providers["scripted"] |= {"script": [*scripts, SCRIPT], "pace_seconds": PACE_SECONDS}
        providers |= {endless_provider(kind): self._endless(kind) for kind in ENDLESS_ANSWERS}
        config["defaults"]["llm_provider"] = "scripted"
        config["skill_folders"] = [str((self._source / name).resolve()) for name in config["skill_folders"]]
        args = ["examples/incidents", "--calls", str(self._calls)]
        config["mcp_servers"]["kubernetes"]["transport"]["args"] = args
        return config

    def _endless(self, kind: str) -> Section:
        return {"type": "openai", "model": kind, "base_url": self._models, "api_key": "no-key-is-needed"}


def endless_provider(kind: str) -> str:
    return f"endless-{kind}"


def server_name(kind: str) -> str:
    return f"{HOSTILE}-{kind}"


def hostile_server(kind: str) -> Section:
    args: list[JsonValue] = ["-m", "tarsy_soak.hostile_server", kind]
    return {"transport": {"type": "stdio", "command": sys.executable, "args": args}, "allow": []}


def hostile_turns() -> list[Section]:
    """The scripted agent asks the tool of every server, also of those that are not there, and concludes."""
    calls: list[JsonValue] = [{"name": f"{server_name(kind)}__{TOOL}", "arguments": {}} for kind in HOSTILE_KINDS]
    return [
        {"agent": AGENT, "iteration": 1, "text": "I ask them all.", "tool_calls": calls},
        {"agent": AGENT, "text": ANALYSIS},
    ]
