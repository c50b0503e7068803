"""All that is generated, in one table; writing it, and checking that it is what the code says.

Paths are relative to the root of the repository.
"""

import json
from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass
from pathlib import Path

from tarsy_docgen.asyncapi import asyncapi_document
from tarsy_docgen.chart.values_file import values_file
from tarsy_docgen.chart.values_page import values_page
from tarsy_docgen.chart.values_schema import values_schema_file
from tarsy_docgen.command_page import command_page
from tarsy_docgen.configuration_page import configuration_page
from tarsy_docgen.errors import DocgenError
from tarsy_docgen.events_page import events_page
from tarsy_docgen.kafka_rights_page import kafka_rights_page
from tarsy_docgen.messages import as_file, contract_of_others, json_schemas
from tarsy_docgen.metrics_page import metrics_page
from tarsy_docgen.openapi import openapi_document
from tarsy_docgen.public_asyncapi import public_asyncapi_document
from tarsy_docgen.public_events_page import public_events_page
from tarsy_docgen.released import PUBLIC_REMEDY, REMEDY, UPCAST, extend_lock, find_breaking_changes, strip_words
from tarsy_docgen.runtime_lock import build_lock, runtime_lock
from tarsy_docgen.schema import Schema
from tarsy_docgen.server_cookbook_page import server_cookbook_page
from tarsy_docgen.settings_table import settings_page

FOLDER = "schemas"
LOCK = f"{FOLDER}/released.json"
PUBLIC_LOCK = f"{FOLDER}/public-released.json"

DOCUMENTS: Mapping[str, Callable[[], str]] = {
    f"{FOLDER}/asyncapi.json": asyncapi_document,
    f"{FOLDER}/openapi.json": openapi_document,
    f"{FOLDER}/public-asyncapi.json": public_asyncapi_document,
    "libs/service/src/tarsy_service/openapi.json": openapi_document,  # what services answer
    "deploy/build.lock": build_lock,
    "deploy/runtime.lock": runtime_lock,
    "docs/reference/chart-values.md": values_page,
    "docs/reference/command.md": command_page,
    "docs/reference/configuration.md": configuration_page,
    "docs/reference/events.md": events_page,
    "docs/reference/kafka-rights.md": kafka_rights_page,
    "docs/reference/metrics.md": metrics_page,
    "docs/reference/public-events.md": public_events_page,
    "docs/reference/server-cookbook.md": server_cookbook_page,
    "docs/reference/settings.md": settings_page,
    "helm/tarsy/values.schema.json": values_schema_file,
    "helm/tarsy/values.yaml": values_file,
}
"""One line a document."""


@dataclass(frozen=True, slots=True)
class Contract:
    """Schemas that change by one rule. `lock`: what was released; `upcast`: versions that nobody writes any longer."""

    lock: str
    schemas: Callable[[], dict[str, Schema]]
    upcast: Set[str]
    remedy: str


def contracts() -> tuple[Contract, ...]:
    return (
        Contract(LOCK, json_schemas, UPCAST, REMEDY),
        Contract(PUBLIC_LOCK, contract_of_others, frozenset(), PUBLIC_REMEDY),
    )


class BreakingChangeError(DocgenError):
    """A change that breaks readers of earlier versions. We add a version instead."""


def write(root: Path) -> None:
    """Raises BreakingChangeError, and has written nothing then."""
    files = _generated(root)
    for old in _schemas_of_no_name(root, files):
        (root / old).unlink()
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def check(root: Path) -> list[str]:
    """A line for each file that is not what the code says. Raises BreakingChangeError."""
    files = _generated(root)
    drift = [f"{name}: nothing has this name any longer" for name in _schemas_of_no_name(root, files)]
    for name, text in files.items():
        if not (root / name).is_file():
            drift.append(f"{name}: not generated")
        elif (root / name).read_text("utf-8") != text:
            drift.append(f"{name}: changed")
    return sorted(drift + _altered(root))


def _generated(root: Path) -> dict[str, str]:
    files: dict[str, str] = {}
    for contract in contracts():
        current, released = contract.schemas(), _released(root, contract)
        problems = find_breaking_changes(released, current, contract.upcast)
        if problems:
            heading = "This change breaks readers of earlier versions:"
            raise BreakingChangeError("\n".join([heading, *problems, contract.remedy]))
        files |= {f"{FOLDER}/{name}.json": as_file(schema) for name, schema in current.items()}
        files[contract.lock] = as_file(extend_lock(released, current))
    return files | {name: document() for name, document in DOCUMENTS.items()}


def _released(root: Path, contract: Contract) -> dict[str, Schema]:
    lock = root / contract.lock
    if not lock.is_file():
        return {}
    found: dict[str, Schema] = json.loads(lock.read_text("utf-8"))
    return found


def _schemas_of_no_name(root: Path, files: Mapping[str, str]) -> list[str]:
    """Those of earlier versions, whose records are still there, stay as they are."""
    present = {file.relative_to(root).as_posix() for file in (root / FOLDER).glob("*/*.json")}
    earlier = {f"{FOLDER}/{name}.json" for contract in contracts() for name in _released(root, contract)}
    return sorted(present - files.keys() - earlier)


def _altered(root: Path) -> list[str]:
    """Schemas of earlier versions that no code makes any longer."""
    altered = []
    for contract in contracts():
        current = contract.schemas()
        for name, schema in _released(root, contract).items():
            file = root / FOLDER / f"{name}.json"
            if name not in current and (
                not file.is_file() or strip_words(json.loads(file.read_text("utf-8"))) != schema
            ):
                altered.append(f"{FOLDER}/{name}.json: is not what was released; take it from the history again")
    return altered
