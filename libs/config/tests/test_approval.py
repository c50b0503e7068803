"""`approve` and `approval`: which calls wait for a person, from which place of the configuration."""

from typing import Any

import pytest

from tarsy_config.config import Config
from tarsy_contracts.chain import ApprovalRule, ApprovalTerms, ResolvedChain, ResolvedServer

CHANGING = ApprovalRule(changing=True)


def plan(
    server: dict[str, Any] | None = None, chain: dict[str, Any] | None = None, defaults: dict[str, Any] | None = None
) -> ResolvedChain:
    stages = [{"name": "s", "agents": [{"name": "A", "llm_provider": "p"}]}]
    return Config.model_validate(
        {
            "defaults": {"llm_provider": "p", **(defaults or {})},
            "llm_providers": {"p": {"type": "scripted", "script": "none.yaml"}},
            "mcp_servers": {"s1": {"transport": {"type": "stdio", "command": "a"}, **(server or {})}},
            "agents": {"A": {"mcp_servers": ["s1"]}},
            "agent_chains": {"one": {"alert_types": ["kubernetes"], "stages": stages, **(chain or {})}},
        }
    ).chain_for("kubernetes")


def server_of(chain: ResolvedChain) -> ResolvedServer:
    return chain.stages[0].agents[0].servers[0]


@pytest.mark.parametrize(
    ("defaults", "server", "chain", "rule"),
    [
        (None, None, None, ApprovalRule()),
        (True, None, None, CHANGING),
        (True, False, None, ApprovalRule()),
        (None, True, None, CHANGING),
        (None, ["pods_*"], None, ApprovalRule(tools=("pods_*",))),
        (True, ["pods_*"], None, ApprovalRule(tools=("pods_*",))),
        (None, ["pods_*"], True, ApprovalRule(changing=True, tools=("pods_*",))),
        (None, False, True, CHANGING),
        (None, True, False, CHANGING),
        (None, "all", None, ApprovalRule(tools=("*",))),
    ],
)
def test_a_server_replaces_what_the_defaults_say_and_a_chain_only_adds(
    defaults: Any, server: Any, chain: Any, rule: ApprovalRule
) -> None:
    def said(value: Any) -> dict[str, Any]:
        return {} if value is None else {"approve": value}

    assert server_of(plan(said(server), said(chain), said(defaults))).approve == rule


def test_who_decides_and_until_when_comes_from_the_chain_or_the_defaults() -> None:
    assert plan({}, {}, {}).approval == ApprovalTerms()
    defaults = {"approval": {"role": "operator", "timeout": "2h"}}
    chain = {"approval": {"timeout": "5m", "on_timeout": "fail"}}
    assert plan({}, chain, defaults).approval == ApprovalTerms(
        role="operator", timeout_seconds=300.0, on_timeout="fail"
    )


def test_the_plan_has_what_the_operator_allows() -> None:
    assert server_of(plan({}, {}, {})).allow == ()
    assert server_of(plan({"allow": ["pods_delete"]}, {}, {})).allow == ("pods_delete",)
