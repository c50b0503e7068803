"""Configuration and catalog together say what each agent has."""

from tarsy_contracts.api.agent_tools import agent_tools
from tarsy_contracts.api.configuration import ChainAgent
from tarsy_contracts.api.system import McpServer, McpTool

AGENT = ChainAgent(chain_id="kubernetes", stage="look", agent="Logs", mcp_servers=("loki",))


def tool(name: str, *, allowed: bool | None, read_only: bool = False) -> McpTool:
    return McpTool(name=name, description="", repeatable=False, annotations=None, allowed=allowed, read_only=read_only)


def server(*tools: McpTool, error: str = "", starting: bool = False) -> McpServer:
    return McpServer(
        id="loki", healthy=not error, misconfigured=False, error=error or None, last_check=None, protocol_version="",
        server_version="", tool_count=len(tools), denied_count=sum(one.allowed is False for one in tools), tools=tools,
        workers=(), starting=starting,
    )  # fmt: skip


def test_an_agent_has_what_is_allowed_and_is_told_the_line_for_the_rest() -> None:
    (found,) = agent_tools([AGENT], [server(tool("labels", allowed=True), tool("loki_query", allowed=False))])
    assert (found.count, found.offered) == (1, {"loki": ["labels"]})
    (sentence,) = found.sentences
    assert sentence.startswith("Logs does not have all tools of the MCP server loki: `loki_query` is not read-only")
    assert "`mcp_servers.loki.allow: [loki_query]`" in sentence


def test_an_agent_whose_servers_give_nothing_has_none() -> None:
    (denied,) = agent_tools([AGENT], [server(tool("loki_query", allowed=False))])
    (away,) = agent_tools([AGENT], [server(tool("loki_query", allowed=True), error="refused")])
    (unknown,) = agent_tools([AGENT], [])
    assert [one.count for one in (denied, away, unknown)] == [0, 0, 0]
    assert "could not be used (refused)" in away.sentences[0]
    assert "no running tool gateway knows this server" in unknown.sentences[0]


def test_what_an_older_gateway_does_not_judge_is_offered_where_it_only_reads() -> None:
    (found,) = agent_tools([AGENT], [server(tool("query", allowed=None, read_only=True), tool("push", allowed=None))])
    assert found.offered == {"loki": ["query"]}
    assert found.sentences == []


def test_an_agent_whose_server_is_starting_may_still_get_its_tools() -> None:
    (found,) = agent_tools([AGENT], [server(error="it has not been reached yet", starting=True)])
    assert (found.count, found.starting) == (0, True)
