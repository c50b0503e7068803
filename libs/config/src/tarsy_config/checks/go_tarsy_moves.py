"""Keys of Go TARSy that say what a key of ours says: they are read as that one."""

from collections.abc import Mapping

from tarsy_config.document.key_paths import ANY, CHAIN, find_values
from tarsy_config.document.plain_data import Document, Plain
from tarsy_config.errors import KeyPath, format_path

PROVIDER: KeyPath = ("llm_providers", ANY)
COSTS: KeyPath = ("system", "cost_estimation")
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
PRICE = {"input_per_million": "input", "output_per_million": "output"}
NO_CATALOGUE = "has no effect yet: models have the prices of model_rates, and of our own section prices"


def move_keys(document: Document) -> None:
    _name_efforts(document)
    for pattern, target in MOVED.items():
        for path, _ in list(find_values(document.data, pattern)):
            _move_key(document, path, target)
    _read_rates(document)


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
    section = _section_or_empty(document.data, path[:-1])
    for key in target[:-1]:
        inside = section.setdefault(str(key), {})
        if not isinstance(inside, dict):
            return
        section = inside
    value = _section_or_empty(document.data, path[:-1]).pop(str(path[-1]))
    if target[-1] in section:
        document.wrong(path, f"says a second time what {format_path(target)} says", "keep one of them")
        return
    _put_value(document, section, (*path[:-1], *target), value, path)


def _put_value(document: Document, section: dict[str, Plain], path: KeyPath, value: Plain, origin: KeyPath) -> None:
    section[str(path[-1])] = value
    document.lines[path] = document.nearest_line(origin) or 1


def _section_or_empty(data: Plain, path: KeyPath) -> dict[str, Plain]:
    """The section at a place; an empty one where there is none."""
    for _, section in find_values(data, path):
        if isinstance(section, dict):
            return section
    return {}


def _read_rates(document: Document) -> None:
    """A price that our own section has wins."""
    costs = _section_or_empty(document.data, COSTS)
    rates = _section_or_empty(document.data, (*COSTS, "model_rates"))
    if rates and costs.get("enabled") is not False:
        prices = _section_or_empty(document.data, ()).setdefault("prices", {})
        if isinstance(prices, dict):
            for model, rate in rates.items():
                if model not in prices:
                    _put_value(
                        document, prices, ("prices", model), _rename_price_keys(rate), (*COSTS, "model_rates", model)
                    )
        del costs["model_rates"]
    for key in costs:
        document.note((*COSTS, key), NO_CATALOGUE)
    if costs or rates:
        del _section_or_empty(document.data, COSTS[:1])[str(COSTS[-1])]


def _rename_price_keys(rate: Plain) -> Plain:
    return {PRICE.get(key, key): value for key, value in rate.items()} if isinstance(rate, dict) else rate
