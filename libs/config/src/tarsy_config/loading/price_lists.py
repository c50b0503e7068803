"""Price lists: files with prices of models in LiteLLM's format, which is public. Nothing is fetched."""

import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from tarsy_config.document.plain_data import Document
from tarsy_config.errors import KeyPath
from tarsy_config.sections.prices import PriceList
from tarsy_contracts.prices import MILLION, TokenPrice

MOST_BYTES: Final = 32 * 1024 * 1024
MOST_DOLLARS: Final = 1_000_000
DIGITS: Final = 9
TOKEN_KEYS: Final[Mapping[str, str]] = {
    "input": "input_cost_per_token",
    "output": "output_cost_per_token",
    "cached_input": "cache_read_input_token_cost",
    "cache_written": "cache_creation_input_token_cost",
}
SEARCH_KEY: Final = "search_context_cost_per_query"
SEARCH_SIZE: Final = "search_context_size_medium"
"""A search costs by how much of it the model reads. This is the size that providers take by themselves."""


def read_price_lists(
    document: Document, lists: tuple[PriceList, ...], config_dir: Path
) -> dict[PriceList, dict[str, TokenPrice]]:
    """Prices of each list that is there. One that cannot be read is a mistake, and one that is not there a note, if
    somebody has named it: it may be mounted later.
    """
    found: dict[PriceList, dict[str, TokenPrice]] = {}
    for index, one in enumerate(lists):
        path: KeyPath = ("price_lists", index)
        try:
            content = read_list(config_dir / one.file)
        except FileNotFoundError:
            if path in document.lines:
                document.note(path, f"has no prices: there is no file {one.file}")
            continue
        except OSError as problem:
            document.wrong(path, f"cannot be read ({problem.strerror or problem})", "name a file of prices")
            continue
        try:
            found[one] = prices_of_list(content)
        except (ValueError, RecursionError):
            remedy = "name a file as model_prices_and_context_window.json of LiteLLM"
            document.wrong(path, "is not a list of prices", remedy)
    return found


def read_list(file: Path) -> bytes:
    """Raises OSError, also for what is no file: nobody may ever write to a pipe."""
    if file.exists() and not file.is_file():
        raise OSError("it is not a file")
    with file.open("rb") as opened:
        content = opened.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise OSError(f"it is larger than {MOST_BYTES} bytes")
    return content


def prices_of_list(content: bytes) -> dict[str, TokenPrice]:
    """By the name of the model. `PROVIDER/MODEL` stands for MODEL, too, if all that end so cost the same.

    Raises ValueError, or RecursionError.
    """
    entries = json.loads(content)
    if not isinstance(entries, dict):
        raise ValueError("no object")
    named = {name: price for name, entry in entries.items() if (price := _price_of(entry)) is not None}
    short: dict[str, set[TokenPrice]] = {}
    for name, price in named.items():
        if "/" in name:
            short.setdefault(name.rpartition("/")[2], set()).add(price)
    return {name: price for name, (price, *others) in short.items() if not others} | named


def _price_of(entry: object) -> TokenPrice | None:
    """None for what is no price of tokens: of images, of sound, an example."""
    if not isinstance(entry, dict):
        return None
    found = dict(_token_prices(entry))
    if "input" not in found or "output" not in found:
        return None
    return TokenPrice(**found, web_search=_dollars(entry.get(SEARCH_KEY)))


def _token_prices(entry: Mapping[str, object]) -> Iterator[tuple[str, float]]:
    for name, key in TOKEN_KEYS.items():
        if (dollars := _dollars(entry.get(key))) is not None and dollars * MILLION <= MOST_DOLLARS:
            yield name, round(dollars * MILLION, DIGITS)


def _dollars(value: object) -> float | None:
    if isinstance(value, dict):
        value = value.get(SEARCH_SIZE)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) and 0 <= value <= MOST_DOLLARS else None
