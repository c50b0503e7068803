"""`system.cost_estimation` of Go TARSy: its rates and promotions are read as prices of ours."""

from datetime import UTC, date, datetime

from tarsy_config.document.key_paths import find_values
from tarsy_config.document.plain_data import Document, Plain
from tarsy_config.errors import KeyPath

COSTS: KeyPath = ("system", "cost_estimation")
NAMES = {"input_per_million": "input", "output_per_million": "output", "start": "from", "end": "until"}
NO_EFFECT = "has no effect here: models have the prices of model_rates, promotions, prices and price_lists"
WHOLE_DAYS = "is read as the day (UTC) {day}: prices change at midnight"


def move_costs(document: Document) -> None:
    """A rate of a model that our own section has is left out, and a promotion comes after its periods."""
    costs = section_or_empty(document.data, COSTS)
    prices = section_or_empty(document.data, ()).setdefault("prices", {}) if costs else {}
    if isinstance(prices, dict) and costs.get("enabled") is not False:
        _move_rates(document, costs.pop("model_rates", None), prices)
        _move_promotions(document, costs.pop("promotions", None), prices)
    for key in costs:
        document.note((*COSTS, key), NO_EFFECT)
    section_or_empty(document.data, COSTS[:1]).pop(str(COSTS[-1]), None)


def _move_rates(document: Document, rates: Plain, prices: dict[str, Plain]) -> None:
    for model, rate in rates.items() if isinstance(rates, dict) else ():
        if model not in prices:
            put_value(document, prices, ("prices", model), _rename_keys(rate), (*COSTS, "model_rates", model))


def _move_promotions(document: Document, promotions: Plain, prices: dict[str, Plain]) -> None:
    for index, promotion in enumerate(promotions if isinstance(promotions, list) else ()):
        origin = (*COSTS, "promotions", index)
        if not isinstance(promotion, dict) or not isinstance(model := promotion.get("model"), str):
            document.wrong(origin, "names no model", "add its model")
            continue
        if model not in prices:
            put_value(document, prices, ("prices", model), {}, origin)
        price = prices[model]
        periods = price.setdefault("periods", []) if isinstance(price, dict) else None
        if isinstance(periods, list):
            path = ("prices", model, "periods", len(periods))
            document.lines[path] = document.nearest_line(origin) or 1
            periods.append(_read_days(document, origin, _rename_keys(promotion)))


def _read_days(document: Document, origin: KeyPath, promotion: Plain) -> Plain:
    """Moments become days, which is said if something is lost."""
    assert isinstance(promotion, dict)
    return {key: _read_day(document, origin, value) for key, value in promotion.items() if key not in ("id", "model")}


def _read_day(document: Document, origin: KeyPath, value: Plain) -> Plain:
    if not isinstance(value, str):
        return value
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return value
    if len(value) == len(date.min.isoformat()):
        return value
    moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    day = moment.date().isoformat()
    if moment.time() != datetime.min.time():
        document.note(origin, WHOLE_DAYS.format(day=day))
    return day


def _rename_keys(rate: Plain) -> Plain:
    return {NAMES.get(key, key): value for key, value in rate.items()} if isinstance(rate, dict) else rate


def put_value(document: Document, section: dict[str, Plain], path: KeyPath, value: Plain, origin: KeyPath) -> None:
    section[str(path[-1])] = value
    document.lines[path] = document.nearest_line(origin) or 1


def section_or_empty(data: Plain, path: KeyPath) -> dict[str, Plain]:
    """The section at a place; an empty one where there is none."""
    for _, section in find_values(data, path):
        if isinstance(section, dict):
            return section
    return {}
