"""Prices of models are checked whole, like everything else: by file and line."""

import json
import re
from datetime import date
from pathlib import Path

import pytest

from tarsy_config.errors import InvalidConfigError
from tarsy_config.loading.live_config import ConfigSource, LiveConfig
from tarsy_config.loading.load import load_config
from tarsy_contracts.prices import ModelPrices, TokenPrice

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
    assert load_config(written(tmp_path, prices), {}).model_prices == ModelPrices(
        prices={
            "gpt-5": TokenPrice(input=1.25, output=10, cached_input=0.125),
            "org/own": TokenPrice(input=0, output=0),
        }
    )


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


LISTED = {
    "sample_spec": {"input_cost_per_token": 0.0, "output_cost_per_token": "a number"},
    "gpt-9": {
        "input_cost_per_token": 1.25e-06,
        "output_cost_per_token": 1e-05,
        "cache_read_input_token_cost": 1.25e-07,
        "cache_creation_input_token_cost": None,
        "search_context_cost_per_query": {"search_context_size_low": 0.01, "search_context_size_medium": 0.02},
        "litellm_provider": "openai",
        "mode": "chat",
    },
    "azure/gpt-9": {"input_cost_per_token": 2e-06, "output_cost_per_token": 1e-05},
    "gemini/flash": {"input_cost_per_token": 5e-07, "output_cost_per_token": 3e-06},
    "vertex_ai/flash": {"input_cost_per_token": 5e-07, "output_cost_per_token": 3e-06},
    "groq/llama": {"input_cost_per_token": 1e-07, "output_cost_per_token": 1e-07},
    "together/llama": {"input_cost_per_token": 9e-07, "output_cost_per_token": 9e-07},
    "dall-e": {"input_cost_per_pixel": 1e-08},
    "odd": {"input_cost_per_token": -1, "output_cost_per_token": True},
}


def listed(folder: Path, more: str = "  {}\n", name: str = "model_prices_and_context_window.json") -> Path:
    (folder / name).write_text(json.dumps(LISTED), "utf-8")
    return written(folder, more)


def test_a_list_of_litellm_knows_models_also_without_the_name_of_their_provider(tmp_path: Path) -> None:
    prices = load_config(listed(tmp_path, "  own: {input: 1, output: 2}\n"), {}).model_prices.prices
    assert prices["gpt-9"] == TokenPrice(input=1.25, output=10, cached_input=0.125, web_search=0.02)
    assert prices["azure/gpt-9"].input == 2
    assert prices["flash"] == TokenPrice(input=0.5, output=3)
    assert prices["own"] == TokenPrice(input=1, output=2)
    assert prices.keys().isdisjoint({"llama", "dall-e", "odd", "sample_spec"})


def test_what_is_configured_wins_over_a_list_and_a_list_with_days_over_one_without(tmp_path: Path) -> None:
    lists = "price_lists: [model_prices_and_context_window.json, {file: new.json, from: 2026-12-01}]\n"
    folder = listed(tmp_path, "  flash: {input: 9, output: 9}\n" + lists)
    new = {"gpt-9": {"input_cost_per_token": 7e-06, "output_cost_per_token": 7e-06}}
    (folder / "new.json").write_text(json.dumps(new | {"flash": new["gpt-9"]}), "utf-8")
    found = load_config(folder, {}).model_prices
    days = (date(2026, 11, 30), date(2026, 12, 1))
    assert [found.find("gpt-9", day) for day in days] == [
        TokenPrice(input=1.25, output=10, cached_input=0.125, web_search=0.02), TokenPrice(input=7, output=7)
    ]  # fmt: skip
    assert {found.find("flash", day) for day in days} == {TokenPrice(input=9, output=9)}


@pytest.mark.parametrize("content", ["", "[]", "{", "\x00", '{"a": ' * 100_000])
def test_a_list_that_is_none_is_a_mistake_with_its_line(tmp_path: Path, content: str) -> None:
    (tmp_path / "list.json").write_text(content, "utf-8")
    with pytest.raises(InvalidConfigError, match=r"tarsy.yaml:7: price_lists\[0\]: is not a list of prices"):
        load_config(written(tmp_path, "  {}\nprice_lists: [list.json]\n"), {})


def test_a_list_that_is_not_there_is_noted_if_somebody_named_it(tmp_path: Path) -> None:
    assert load_config(written(tmp_path, "  {}\n"), {}).notes == ()
    (note,) = load_config(written(tmp_path, "  {}\nprice_lists: [gone.json]\n"), {}).notes
    assert str(note) == "tarsy.yaml:7: price_lists[0]: has no prices: there is no file gone.json"


def test_periods_keep_what_a_model_cost_and_the_last_that_holds_counts(tmp_path: Path) -> None:
    prices = """\
  gpt-9:
    input: 2
    output: 2
    periods:
      - {until: 2026-06-01, input: 1, output: 1}
      - {from: 2026-05-30, until: 2026-06-02, input: 0.5, output: 0.5}
  promoted: {periods: [{from: 2026-01-01, input: 3, output: 3}]}
"""
    found = load_config(written(tmp_path, prices), {}).model_prices
    costs = {day: found.find("gpt-9", date.fromisoformat(day)) for day in ("2026-05-29", "2026-06-01", "2026-06-02")}
    assert [price and price.input for price in costs.values()] == [1, 0.5, 2]
    assert found.find("promoted", date(2025, 12, 31)) is None
    assert found.list_changes() == [date.fromisoformat(f"2026-0{day}") for day in ("1-01", "5-30", "6-01", "6-02")]


@pytest.mark.parametrize(
    ("price", "problem"),
    [
        ("{periods: [{from: soon, input: 1, output: 1}]}", "a.periods[0].from: is not a day"),
        ("{periods: [{from: 2026-02-30, input: 1, output: 1}]}", "a.periods[0].from: is not a day"),
        ("{periods: [{from: 2026-02-01, until: 2026-02-01, input: 1, output: 1}]}", "until: is not after `from`"),
        ("{periods: [{input: 1}]}", "a.periods[0].output: is missing"),
        ("{periods: [{since: 2026-02-01, input: 1, output: 1}]}", "a.periods[0].since: unknown key"),
        ("{cached_input: 1, periods: [{input: 1, output: 1}]}", "a.input: is missing"),
        ("{}", "a.input: is missing"),
    ],
)
def test_a_period_that_makes_no_sense_is_a_mistake(tmp_path: Path, price: str, problem: str) -> None:
    with pytest.raises(InvalidConfigError) as caught:
        load_config(written(tmp_path, f"  a: {price}\n"), {})
    assert problem in str(caught.value)


def test_prices_stand_in_a_file_of_their_own_and_in_one_file_only(tmp_path: Path) -> None:
    (tmp_path / "prices.yaml").write_text("prices: {b: {input: 1, output: 2}}\n", "utf-8")
    folder = written(tmp_path, "  a: {input: 1, output: 2}\n")
    assert load_config(folder, {}).model_prices.prices.keys() == {"a", "b"}
    (tmp_path / "prices.yaml").write_text("prices: {a: {input: 1, output: 2}}\n", "utf-8")
    with pytest.raises(InvalidConfigError, match=r"prices\.yaml:1: prices\.a: is defined in tarsy\.yaml already"):
        load_config(folder, {})


def test_a_service_sees_that_prices_changed(tmp_path: Path) -> None:
    source = ConfigSource(written(tmp_path, "  {}\nprice_lists: [{file: list.json}, other.json]\n"), {})
    seen = [source.digest()]
    for name in ("prices.yaml", "list.json", "other.json"):
        (tmp_path / name).write_text("{}", "utf-8")
        seen.append(source.digest())
    assert len(set(seen)) == len(seen)


PRICED_LIST = {"gpt-9": {"input_cost_per_token": 1e-06, "output_cost_per_token": 1e-05}}


@pytest.mark.parametrize("broken", ["", "{", json.dumps(PRICED_LIST)[:-1], "[]", "\x00"])
async def test_a_list_that_breaks_while_a_service_runs_leaves_the_prices_that_hold(tmp_path: Path, broken: str) -> None:
    folder, file = written(tmp_path, "  {}\nprice_lists: [list.json]\n"), tmp_path / "list.json"
    file.write_text(json.dumps(PRICED_LIST), "utf-8")
    live = LiveConfig[ModelPrices](ConfigSource(folder, {}), lambda config, before: config.model_prices)
    first = live.current
    file.write_text(broken, "utf-8")
    assert [await live.look() for _ in range(3)] == [False, False, False]
    assert (live.current, list(first.prices)) == (first, ["gpt-9"])
    (reason,) = live.explain_degraded()
    assert "is not a list of prices" in reason
    file.write_text(json.dumps({"gpt-9": {"input_cost_per_token": 2e-06, "output_cost_per_token": 0}}), "utf-8")
    assert [await live.look() for _ in range(2)] == [False, True]
    assert live.current.prices["gpt-9"].input == 2.0


NAMED = re.compile(r"llm_providers\.(\w+): .*(\(.*\))")
MONEY = """\
agents: {A: {}, B: {budget: {money: 1}}}
agent_chains:
  k: {alert_types: [kubernetes], stages: [{name: a, agents: [{name: A, llm_provider: own}]}]}
  b: {alert_types: [other], stages: [{name: a, agents: [{name: B, llm_provider: known}]}]}
llm_providers:
  own: {type: openai, model: llama, base_url: "http://localhost:1", api_key_env: K}
  known: {type: openai, model: gpt-9, api_key_env: K}
  usual: {type: openai, model: other, api_key_env: K}
defaults: {llm_provider: usual, executive_summary: {llm_provider: known}}
"""


@pytest.mark.parametrize(
    ("more", "noted"),
    [
        ("", ["usual (b)"]),
        ("system: {budgets: {teams: {pay: {money: 5}}}}\n", ["own (k)", "usual (k, b)"]),
        ("system: {budgets: {chains: {k: {money: 5}}}}\n", ["own (k)", "usual (k, b)"]),
        ("system: {budgets: {day: {tokens: 5}}}\n", ["usual (b)"]),
    ],
)
def test_a_limit_of_money_that_does_not_hold_for_a_model_is_noted(tmp_path: Path, more: str, noted: list[str]) -> None:
    listed(tmp_path)
    (tmp_path / "tarsy.yaml").write_text(MONEY + more, "utf-8")
    notes = [str(note) for note in load_config(tmp_path, {"K": "x"}).notes if "no price" in str(note)]
    found = [NAMED.search(note) for note in notes]
    assert [f"{one[1]} {one[2]}" for one in found if one] == noted, notes
