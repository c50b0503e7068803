"""Public HTTP routes about the system: MCP servers, sessions that are set aside, and warnings."""

from collections.abc import Callable, Sequence
from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query

from tarsy_contracts.api.system import HeldSessionList, McpServer, McpServers, SystemWarnings
from tarsy_service.http.described_routes import INVALID, describe_answers
from tarsy_service.http.problems import ProblemError
from tarsy_timeline.api.caller_groups import CallerGroups
from tarsy_timeline.api.route_words import NO_CATALOG, READING_CATALOG
from tarsy_timeline.queries.session_queries import SessionQueries
from tarsy_timeline.system import responses
from tarsy_timeline.system.held_watch import HeldWatch
from tarsy_timeline.system.responses import MOST_TOOLS
from tarsy_timeline.system.server_warnings import ServerWarning
from tarsy_timeline.system.server_watch import ServerWatch

TOOLS_SHOWN = {"listed": MOST_TOOLS, "none": 0}

type ServerName = Annotated[str, Path(max_length=200)]
type Tools = Annotated[Literal["listed", "none"], Query()]


def system_routes(watch: ServerWatch, also: Callable[[], Sequence[ServerWarning]] = tuple) -> APIRouter:
    """`also`: warnings that are not about MCP servers; they come first."""
    router = APIRouter(prefix="/api/v1/system", tags=["system"])

    @router.get(
        "/mcp-servers",
        summary="The MCP servers, as the running tool gateways see them",
        responses=describe_answers(
            "At most 500 servers, by name, each with what every running tool gateway sees of it.", READING_CATALOG
        ),
    )
    async def list_mcp_servers(tools: Tools = "listed") -> McpServers:
        """As the running tool gateways see them. One that is configured, but no gateway has ever seen, is not there."""
        return responses.mcp_servers((await watch.wait_for_servers()).servers, most_tools=TOOLS_SHOWN[tools])

    @router.get(
        "/mcp-servers/{server_id}",
        summary="An MCP server with all its tools and their schemas",
        responses=describe_answers(
            "The server.", {400: INVALID, 404: "No tool gateway has reported such a server.", 503: NO_CATALOG}
        ),
    )
    async def get_mcp_server(server_id: ServerName) -> McpServer:
        """One server, with all its tools and their schemas."""
        for server in (await watch.wait_for_servers()).servers:
            if server.name == server_id:
                return responses.mcp_server(server)
        raise ProblemError(404, "Not found", "No tool gateway has reported such an MCP server.")

    @router.get(
        "/warnings",
        summary="What an operator should look at now",
        responses=describe_answers(
            "The warnings. One goes when its cause does, and has the same id when it comes back.", READING_CATALOG
        ),
    )
    async def list_warnings(groups: CallerGroups) -> SystemWarnings:
        """Warnings for the operator. Each goes when its cause does.

        A caller who is limited to session groups gets those about MCP servers only: others name sessions.
        """
        seen = await watch.wait_for_servers()
        others = also() if groups is None else ()
        return responses.system_warnings([*others, *seen.warnings], len(seen.servers))

    return router


def create_held_routes(watch: HeldWatch, queries: SessionQueries) -> APIRouter:
    router = APIRouter(prefix="/api/v1/system", tags=["system"])

    @router.get(
        "/held-sessions",
        summary="The sessions that are set aside, and wait for an operator",
        responses=describe_answers(
            "At most a thousand, those that have waited longest first.",
            {400: INVALID, 503: "The topic has not been read to its end after the start."},
        ),
    )
    async def list_held_sessions(groups: CallerGroups) -> HeldSessionList:
        """The sessions that are set aside until an operator releases, retries or fails them."""
        aside = await watch.sessions()
        if groups is not None:
            visible = frozenset((await queries.visibility([one.session_id for one in aside], groups)).visible)
            aside = [one for one in aside if one.session_id in visible]
        return responses.create_held_session_list(aside)

    return router
