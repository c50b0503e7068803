"""Prices of models are checked whole, like everything else: by file and line."""

from pathlib import Path

import pytest

from tarsy_config.errors import InvalidConfigError
from tarsy_config.loading.load import load_config

REST = """\
agents: {A: {}}
agent_chains: {k: {alert_types: [kubernetes], stages: [{name: a, agents: [{name: A}]}]}}
llm_providers: {s: {type: scripted, script: s.yaml}}
defaults: {llm_provider: s}
prices:
"""


def written(folder: Path, prices: str) -> Path:
    (folder / "s.yaml").write_text("[]", "utf-8")
    (folder / "tarsy.yaml").write_text(REST + prices, "utf-8")
    return folder


def test_a_price_is_that_of_a_model_by_the_name_with_which_it_answers(tmp_path: Path) -> None:
    prices = "  gpt-5: {input: 1.25, output: 10, cached_input: 0.125}\n  org/own: {input: 0, output: 0}\n"
    found = load_config(written(tmp_path, prices), {}).prices
    assert {name: tuple(dict(one).values()) for name, one in found.items()} == {
        "gpt-5": (1.25, 10.0, 0.125, None), "org/own": (0.0, 0.0, None, None)
    }  # fmt: skip


def test_mistakes_in_prices_are_told_at_once_with_their_lines(tmp_path: Path) -> None:
    prices = "  a: {input: -1, output: much}\n  b: {input: .nan, output: .inf}\n  c: {input: 1}\n  d: {price: 1}\n"
    with pytest.raises(InvalidConfigError) as caught:
        load_config(written(tmp_path, prices), {})
    told = str(caught.value)
    for line, key in (
        (6, "a.input"),
        (6, "a.output"),
        (7, "b.input"),
        (7, "b.output"),
        (8, "c.output"),
        (9, "d.price"),
    ):
        assert f"tarsy.yaml:{line}: prices.{key}: " in told, told
