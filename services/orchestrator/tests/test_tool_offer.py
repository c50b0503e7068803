"""The tools that a stage begins with."""

import itertools

from tarsy_contracts.workers import CatalogTool
from tarsy_orchestrator.effects.tool_catalog import compose_offer


def tool(name: str) -> CatalogTool:
    return CatalogTool(tool=name, description=f"{name}s", input_schema={"type": "object"}, repeatable=True)


def test_the_order_in_which_a_server_lists_its_tools_changes_nothing() -> None:
    """Servers in Go list theirs in the order of a map."""
    tools = [tool("logs"), tool("events"), tool("pods")]
    offers = [compose_offer({"kubernetes": listed, "git": [tool("log")]}) for listed in itertools.permutations(tools)]
    assert {tuple(one.definition.name for one in offer.tools) for offer in offers} == {
        ("kubernetes__events", "kubernetes__logs", "kubernetes__pods", "git__log")
    }


def test_a_server_that_cannot_be_reached_is_named_and_offers_nothing() -> None:
    offer = compose_offer({"kubernetes": None, "git": [tool("log")]})
    assert [one.server for one in offer.tools] == ["git"]
    assert offer.unavailable_servers == ("kubernetes",)


def test_a_server_without_tools_is_not_missing() -> None:
    offer = compose_offer({"git": ()})
    assert (offer.tools, offer.unavailable_servers) == ((), ())
