"""The judge of finished investigations, as `scoring` in `defaults` and chains chooses it."""

from typing import Any

import pytest

from tarsy_config.config import Config

STAGES = [{"name": "look", "agents": [{"name": "KubernetesAgent"}]}]


def config(defaults: dict[str, Any] | None = None, chain: dict[str, Any] | None = None) -> Config:
    scripted = {"type": "scripted", "script": "none.yaml"}
    return Config.model_validate(
        {
            "llm_providers": {"own": scripted, "judge": scripted, "other": scripted},
            "defaults": {"llm_provider": "own", **({} if defaults is None else {"scoring": defaults})},
            "agent_chains": {
                "k": {
                    "alert_types": ["kubernetes"],
                    "stages": STAGES,
                    **({} if chain is None else {"scoring": chain}),
                }
            },
        }
    )


@pytest.mark.parametrize(
    ("defaults", "chain", "judge"),
    [
        (None, None, None),
        ({"llm_provider": "judge"}, None, "judge"),
        (None, {"llm_provider": "judge"}, "judge"),
        ({"llm_provider": "judge"}, {"llm_provider": "other"}, "other"),
        ({"llm_provider": "judge"}, {"enabled": False}, None),
        ({"enabled": True}, None, "own"),
        ({"enabled": False}, {"llm_provider": "judge"}, None),
        ({"enabled": False, "llm_provider": "judge"}, {"enabled": True}, "judge"),
    ],
)
def test_there_is_a_judge_where_a_model_is_named_for_it_or_it_is_switched_on(
    defaults: dict[str, Any] | None, chain: dict[str, Any] | None, judge: str | None
) -> None:
    found = config(defaults, chain).chain_for("kubernetes").scoring
    assert (None if found is None else found.llm_provider) == judge
    if found is not None:
        assert (found.name, found.controller, found.servers) == ("ScoringAgent", "single_shot", ())


def test_the_share_of_the_chain_counts_before_that_of_all() -> None:
    both = config({"llm_provider": "judge", "rate": 0.2}, {"rate": 0.5})
    assert both.chain_for("kubernetes").scoring_rate == 0.5
    assert config({"llm_provider": "judge", "rate": 0.2}).chain_for("kubernetes").scoring_rate == 0.2
    assert config({"llm_provider": "judge"}).chain_for("kubernetes").scoring_rate == 1.0


@pytest.mark.parametrize("rate", [-0.1, 1.1])
def test_a_share_that_is_none_is_a_mistake(rate: float) -> None:
    with pytest.raises(ValueError, match="rate"):
        config({"rate": rate})
