"""From what workers say to what people are told: pure."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from tarsy_bus.readers.catalog import CatalogEntry
from tarsy_contracts.messages.workers import CatalogTool, ServerCatalogued
from tarsy_timeline.system.responses import MOST_WORKERS, mcp_servers
from tarsy_timeline.system.server_warnings import MOST_CHARACTERS, ServerWarning, warnings_of
from tarsy_timeline.system.servers import MOST_SERVERS, servers_of

BEGIN = datetime(2026, 11, 22, 3, 0, tzinfo=UTC)
ALIVE = [(True, BEGIN)]


def entry(
    worker: str, *names: str, server: str = "git", error: str = "", misconfigured: bool = False, at: int = 0
) -> CatalogEntry:
    tools = tuple(CatalogTool(tool=name, description="", input_schema={}, repeatable=False) for name in names)
    moment = BEGIN + timedelta(seconds=at)
    seen = ServerCatalogued(
        server=server, worker_id=worker, healthy=not error, error=error, tools=tools, misconfigured=misconfigured
    )
    return CatalogEntry(seen, at, moment, moment, moment, frozenset(names))


def told(*entries: CatalogEntry, dead: str = "") -> list[ServerWarning]:
    servers = servers_of(entries, lambda worker: worker not in dead.split(), lambda worker: BEGIN)
    return warnings_of(servers, ALIVE, BEGIN)


def test_a_server_that_every_worker_reaches_has_no_warning() -> None:
    assert told(entry("a", "log"), entry("b", "log")) == []


def test_each_trouble_of_each_server_has_an_id_of_its_own_that_stays() -> None:
    entries = [
        entry("a", error="down"),
        entry("a", server="other", error="down"),
        entry("a", server="third", error="bad command", misconfigured=True),
        entry("a", "x", server="fourth"),
        entry("b", "y", server="fourth"),
        entry("c", server="fourth", error="down"),
        entry("gone", server="fifth"),
    ]
    warnings = told(*entries, dead="gone")
    assert sorted((one.server, one.what) for one in warnings) == [
        ("fifth", "unreported"),
        ("fourth", "different_tools"),
        ("fourth", "partly_unreachable"),
        ("git", "unreachable"),
        ("other", "unreachable"),
        ("third", "misconfigured"),
    ]
    assert len({one.id for one in warnings}) == len(warnings)
    assert {one.id for one in told(*reversed(entries), dead="gone")} == {one.id for one in warnings}
    assert {one.id for one in told(entry("a", error="down"))} == {"e052aea7-80bd-58e9-a609-14575565e1f4"}


def test_a_warning_began_when_the_first_of_the_living_saw_it() -> None:
    both = (entry("a", error="down", at=5), entry("b", error="down", at=9))
    assert told(*both)[0].began == both[0].appended_at
    assert told(*both, dead="a")[0].began == both[1].appended_at


def test_what_several_workers_say_is_said_once_and_cut() -> None:
    [warning] = told(entry("a", error="down", at=3), entry("b", error="down", at=2), entry("c", error="x" * 5_000))
    assert warning.details.startswith("down; xxx")
    assert len(warning.details) == MOST_CHARACTERS


def test_many_differing_tools_are_counted_and_not_all_named() -> None:
    [warning] = told(entry("a", *(f"tool_{number:02}" for number in range(25))), entry("b"))
    assert warning.details.endswith("tool_08, tool_09 and 15 more.")


def test_servers_and_workers_are_bounded() -> None:
    entries = [entry("a", server=f"server-{number:04}") for number in range(MOST_SERVERS + 5)]
    entries += [entry(f"w{number}", server="server-0000", at=number) for number in range(MOST_WORKERS + 5)]
    servers = servers_of(entries, lambda _: True, lambda _: None)
    assert len(servers) == MOST_SERVERS
    shown = mcp_servers(servers, most_tools=10).servers[0]
    assert len(shown.workers) == MOST_WORKERS
    assert shown.workers[0].worker_id == f"w{MOST_WORKERS + 4}", "the newest come first"


def test_a_server_of_which_all_workers_are_forgotten_is_not_there() -> None:
    assert servers_of([entry("gone")], lambda _: False, lambda _: None) == []


def test_no_gateway_at_all_is_one_warning_that_does_not_move() -> None:
    since = BEGIN + timedelta(seconds=3)
    [never] = warnings_of([], [], since)
    assert (never.what, never.began) == ("no_gateway", since)
    [died] = warnings_of([], [(False, BEGIN), (False, BEGIN - timedelta(seconds=9))], since)
    assert (died.id, died.began) == (never.id, BEGIN)


def with_denied(*denied: str, unset: bool = False, allowed: str = "") -> CatalogEntry:
    """A server with a tool that only reads; `allowed` and `denied` may change something."""
    said = entry("a", *denied, *filter(None, [allowed]), "pods_list")
    tools = tuple(
        tool.model_copy(update={"allowed": tool.tool not in denied, "read_only": tool.tool == "pods_list"})
        for tool in said.seen.tools
    )
    return replace(said, seen=said.seen.model_copy(update={"tools": tools, "allow_unset": unset}))


def test_tools_that_agents_do_not_get_are_told_with_the_line_that_changes_it() -> None:
    [warning] = told(with_denied("pods_delete", unset=True))
    assert (warning.what, warning.message) == ("denied_tools", "Agents do not get 1 tool of the MCP server git.")
    assert warning.details.startswith("They are not read-only, and `allow` is not set: pods_delete. To allow them: ")
    assert "`mcp_servers.git.allow: [pods_delete]`" in warning.details


def test_only_what_the_operator_has_not_written_is_somebodys_trouble() -> None:
    """`/ready` names it."""
    [default] = told(with_denied("pods_delete", unset=True))
    [written] = told(with_denied("pods_exec", allowed="pods_delete"))
    assert (default.on_purpose, written.on_purpose) == (False, True)


def test_a_tool_is_told_also_where_another_one_is_allowed() -> None:
    [warning] = told(with_denied("pods_exec", allowed="pods_delete"))
    assert "`allow` does not name them: pods_exec." in warning.details


def test_an_empty_allow_says_that_no_more_is_wanted() -> None:
    assert told(with_denied("pods_delete")) == []


def test_a_server_that_gives_no_tool_at_all_is_told_whatever_allow_says() -> None:
    said = with_denied("pods_delete", "pods_list")
    [warning] = told(said)
    assert warning.message == "Agents do not get all tools of the MCP server git."


def test_a_server_shows_which_of_its_tools_agents_get() -> None:
    [shown] = mcp_servers(
        servers_of([with_denied("pods_delete", unset=True)], lambda _: True, lambda _: None), most_tools=9
    ).servers
    assert shown.denied_count == 1
    assert [(tool.name, tool.allowed) for tool in shown.tools] == [("pods_delete", False), ("pods_list", True)]


def test_tools_that_the_protocol_does_not_allow_are_counted_and_named() -> None:
    said = entry("a", "log")
    refusing = replace(said, seen=said.seen.model_copy(update={"refused_count": 12, "refused_tools": ("'a b'",)}))
    [warning] = told(refusing)
    assert (warning.what, warning.message) == ("refused_tools", "12 tools of the MCP server git cannot be used.")
    assert "'a b'" in warning.details
