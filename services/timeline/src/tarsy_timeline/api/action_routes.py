"""The API for people: the switch that holds all calls of tools that change something."""

import asyncio
from collections.abc import Callable, Mapping
from datetime import datetime

from fastapi import APIRouter, Request

from tarsy_bus.client.publisher import NotWrittenError, Publisher
from tarsy_contracts.api.actions import ActionsState, SwitchOrder
from tarsy_contracts.messages.actions import SWITCH_KEY, ActionsSwitched
from tarsy_contracts.wire.envelope import wire_time
from tarsy_masking.masker import Masker
from tarsy_service.access.caller import caller_of
from tarsy_service.http.bounded_routes import create_bounded_route
from tarsy_service.http.described_routes import INVALID, NOT_JSON, describe_answers
from tarsy_service.http.problems import ProblemError
from tarsy_timeline.api.route_words import READING_CATALOG
from tarsy_timeline.system.server_watch import ServerWatch

BODY_LIMIT_BYTES = 64 * 1024
NOT_WRITTEN = "Kafka did not confirm the switch. It may have been thrown anyway: check, and try again."
SWITCHING: Mapping[int, str] = {400: INVALID, 413: "The body is too large.", **NOT_JSON, 503: NOT_WRITTEN}


def action_routes(
    watch: ServerWatch, publisher: Publisher, masker: Masker, now: Callable[[], datetime], new_id: Callable[[], str]
) -> APIRouter:
    router = APIRouter(
        prefix="/api/v1/system/actions", tags=["system"], route_class=create_bounded_route(BODY_LIMIT_BYTES)
    )

    async def switch(request: Request, order: SwitchOrder, *, paused: bool) -> ActionsState:
        comment = await asyncio.to_thread(masker.mask, order.comment)
        author = caller_of(request).author(masker.mask)
        switched = ActionsSwitched(paused=paused, author=author, comment=comment, at=now())
        try:
            await publisher.publish(publisher.topics.catalog, switched, key=SWITCH_KEY, id=new_id(), subject=SWITCH_KEY)
        except NotWrittenError as problem:
            raise ProblemError(503, "Service unavailable", NOT_WRITTEN) from problem
        return _state(switched)

    @router.get(
        "",
        summary="Whether actions are paused",
        responses=describe_answers("Whether calls of tools that change something are made now.", READING_CATALOG),
    )
    async def get_actions() -> ActionsState:
        """Whether calls of tools that change something are made now, and who said so."""
        return _state(await watch.wait_for_switch())

    @router.post(
        "/pause",
        summary="Pause all actions",
        responses=describe_answers("They are paused: no further call that changes something begins.", SWITCHING),
    )
    async def pause(request: Request, order: SwitchOrder) -> ActionsState:
        """Holds all calls of tools that change something, in every session. Calls that run go on."""
        return await switch(request, order, paused=True)

    @router.post(
        "/resume",
        summary="Resume actions",
        responses=describe_answers("They are resumed.", SWITCHING),
    )
    async def resume(request: Request, order: SwitchOrder) -> ActionsState:
        """Calls of tools that change something are made again. Those that were held stay as they ended."""
        return await switch(request, order, paused=False)

    return router


def _state(switched: ActionsSwitched | None) -> ActionsState:
    if switched is None:
        return ActionsState(paused=False)
    return ActionsState(
        paused=switched.paused, author=switched.author, comment=switched.comment, at=wire_time(switched.at)
    )
