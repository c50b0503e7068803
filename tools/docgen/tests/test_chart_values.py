"""Values of the chart: each has a meaning and a default that fits, and the files show all of them."""

from collections.abc import Iterator, Mapping

import yaml
from jsonschema import Draft7Validator  # type: ignore[import-untyped]  # it has no types of its own

from tarsy_docgen.chart.chart_value import ChartValue
from tarsy_docgen.chart.values_file import values_file
from tarsy_docgen.chart.values_page import values_page
from tarsy_docgen.chart.values_schema import all_values, common_values, values_schema


def _flat(values: Mapping[str, ChartValue], prefix: str = "") -> Iterator[tuple[str, ChartValue]]:
    for name, value in values.items():
        yield f"{prefix}{name}", value
        if not value.has_default:
            yield from _flat(value.properties, f"{prefix}{name}.")


def test_each_value_has_a_meaning() -> None:
    assert [name for name, value in _flat(all_values()) if not value.description] == []


def test_each_default_fits_its_schema() -> None:
    Draft7Validator.check_schema(values_schema())
    Draft7Validator(values_schema()).validate(yaml.safe_load(values_file()))


def test_the_page_has_each_value_once() -> None:
    rows = [line.split("`")[1] for line in values_page().splitlines() if line.startswith("| `")]
    assert len(rows) == len(set(rows))
    services = {name for name, value in all_values().items() if common_values().keys() <= value.properties.keys()}
    assert len(services) == 7
    for name, _ in _flat(all_values()):
        first, _, rest = name.partition(".")
        assert name in rows or (first in services and (not rest or f"SERVICE.{rest}" in rows)), name
