"""The JSON Schema of every message, generated from the contracts."""

import json
from collections.abc import Mapping
from pathlib import Path

from tarsy_contracts.chunks import CHUNKS
from tarsy_contracts.control import CONTROLS
from tarsy_contracts.events import EVENTS
from tarsy_contracts.heads import SessionHead
from tarsy_contracts.inputs import INPUTS
from tarsy_contracts.message import Message
from tarsy_contracts.requests import REQUESTS
from tarsy_contracts.workers import ServerCatalogued, WorkerAnnounced

MESSAGES: Mapping[str, Mapping[str, type[Message]]] = {
    "events": EVENTS,
    "inputs": INPUTS,
    "requests": REQUESTS,
    "control": CONTROLS,
    "chunks": CHUNKS,
    "heads": {SessionHead.type: SessionHead},
    "workers": {WorkerAnnounced.type: WorkerAnnounced, ServerCatalogued.type: ServerCatalogued},
}


def write_schemas(folder: Path) -> None:
    """Writes what the code says, and removes what it no longer names."""
    files = _files()
    for old in folder.glob("*/*.json"):
        if old.relative_to(folder).as_posix() not in files:
            old.unlink()
    for name, text in files.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")


def check_schemas(folder: Path) -> list[str]:
    """A line for each file that is missing, changed, or no longer named."""
    files = _files()
    present = {file.relative_to(folder).as_posix(): file.read_text("utf-8") for file in folder.glob("*/*.json")}
    drift = [f"{name}: not generated" for name in files.keys() - present.keys()]
    drift += [f"{name}: nothing has this name any longer" for name in present.keys() - files.keys()]
    drift += [f"{name}: changed" for name in files.keys() & present.keys() if files[name] != present[name]]
    return sorted(drift)


def _files() -> dict[str, str]:
    return {
        f"{kind}/{name}.{message.version}.json": _schema(message)
        for kind, messages in MESSAGES.items()
        for name, message in messages.items()
    }


def _schema(message: type[Message]) -> str:
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": message.dataschema(),
        **message.model_json_schema(mode="serialization"),
    }
    return json.dumps(schema, indent=2, sort_keys=True) + "\n"
