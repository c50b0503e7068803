"""Keys of Go TARSy that say what a key of ours says: they are read as that one."""

from collections.abc import Mapping

from tarsy_config.checks.go_tarsy_costs import move_costs, put_value, section_or_empty
from tarsy_config.document.key_paths import ANY, CHAIN, find_values
from tarsy_config.document.plain_data import Document, Plain
from tarsy_config.errors import KeyPath, format_path

PROVIDER: KeyPath = ("llm_providers", ANY)
MOVED: Mapping[KeyPath, KeyPath] = {
    ("defaults", "executive_summary_provider"): ("executive_summary", "llm_provider"),
    ("defaults", "executive_summary_fallback_list"): ("executive_summary", "fallback_list"),
    (*CHAIN, "executive_summary_fallback_list"): ("executive_summary", "fallback_list"),
    ("defaults", "compose_provider"): ("compose", "llm_provider"),
    (*CHAIN, "compose_provider"): ("compose", "llm_provider"),
    ("defaults", "compose_fallback_list"): ("compose", "fallback_list"),
    (*CHAIN, "compose_fallback_list"): ("compose", "fallback_list"),
    (*PROVIDER, "reasoning_effort"): ("thinking",),
}
"""The path of a key, and its name here, relative to its section."""
OUR_EFFORTS = frozenset({"off", "low", "medium", "high"})
EFFORTS = {"none": "off", "minimal": "low", "xhigh": "high", "max": "high"}
"""Words for how much a model thinks that are not ours, and the nearest of ours."""


def move_keys(document: Document) -> None:
    _name_efforts(document)
    for pattern, target in MOVED.items():
        for path, _ in list(find_values(document.data, pattern)):
            _move_key(document, path, target)
    move_costs(document)


def _name_efforts(document: Document) -> None:
    for path, provider in find_values(document.data, PROVIDER):
        if isinstance(provider, dict) and str(provider.get("reasoning_effort", "low")) not in OUR_EFFORTS:
            _name_effort(document, (*path, "reasoning_effort"), provider)


def _name_effort(document: Document, path: KeyPath, provider: dict[str, Plain]) -> None:
    effort = EFFORTS.get(str(provider.pop("reasoning_effort")))
    if effort is None:
        document.note(path, "has no effect here: thinking is off, low, medium or high")
        return
    document.note(path, f"is read as thinking: {effort}")
    provider["reasoning_effort"] = effort


def _move_key(document: Document, path: KeyPath, target: KeyPath) -> None:
    section = section_or_empty(document.data, path[:-1])
    for key in target[:-1]:
        inside = section.setdefault(str(key), {})
        if not isinstance(inside, dict):
            return
        section = inside
    value = section_or_empty(document.data, path[:-1]).pop(str(path[-1]))
    if target[-1] in section:
        document.wrong(path, f"repeats what {format_path(target)} says", "keep one of them")
        return
    put_value(document, section, (*path[:-1], *target), value, path)
