"""The API for operators: records that could not be read."""

import asyncio
from collections.abc import Mapping
from itertools import islice
from typing import Annotated

import structlog
from fastapi import APIRouter, Path, Query, Request
from pydantic import Field

from tarsy_contracts.api.dead_letters import (
    DeadLetterDetail,
    DeadLetterList,
    DeadLetterRaw,
    LetterStatus,
    RedriveAnswer,
    Redriven,
)
from tarsy_masking.masker import Masker
from tarsy_service.http.bounded_routes import create_bounded_route
from tarsy_service.http.described_routes import AUTHOR, INVALID, NOT_JSON, describe_answers, describe_headers
from tarsy_timeline.api.dead_letters import responses
from tarsy_timeline.api.dead_letters.letter_filter import LetterFilter, behind
from tarsy_timeline.api.dead_letters.letters import NO_LETTER, Letters
from tarsy_timeline.api.dead_letters.redriver import Redriver
from tarsy_timeline.api.operators import Operators

log = structlog.get_logger(__name__)

MOST_LISTED = 1_000
BODY_LIMIT_BYTES = 64 * 1024

type LetterId = Annotated[str, Path(max_length=36, pattern=r"^[0-9a-f-]{36}$")]
type After = Annotated[str, Field(max_length=36, pattern=r"^[0-9a-f-]*$")]


class ListQuery(LetterFilter):
    """`after`: the `next` of the answer before."""

    status: LetterStatus | None = None
    after: After = ""
    limit: Annotated[int, Field(ge=1, le=MOST_LISTED)] = 100


class RedriveOrder(LetterFilter):
    """The letters to re-drive: all that wait and fit. `dry_run`: nothing is written. `after`: as in the list."""

    after: After = ""
    dry_run: bool = False


READING_LETTERS: Mapping[int, str] = {
    400: INVALID,
    503: "Kafka cannot be reached, or the dead letters have not been read to their end yet: try again.",
}
READING_LETTER: Mapping[int, str] = {**READING_LETTERS, 404: NO_LETTER}
REDRIVING: Mapping[int, str] = {**READING_LETTERS, 413: "The body is too large.", **NOT_JSON}


def dead_letter_routes(letters: Letters, redriver: Redriver, operators: Operators, masker: Masker) -> APIRouter:
    router = APIRouter(
        prefix="/api/v1/dead-letters", tags=["dead letters"], route_class=create_bounded_route(BODY_LIMIT_BYTES)
    )

    @router.get(
        "",
        summary="Records that could not be read, by who buried them and why",
        responses=describe_answers("A page of letters, the newest first.", READING_LETTERS),
        openapi_extra=describe_headers(AUTHOR),
    )
    async def list_dead_letters(request: Request, wanted: Annotated[ListQuery, Query()]) -> DeadLetterList:
        """The newest first, with their reasons masked. The first request after a start reads the whole topic."""
        operators.require(request)
        index, prefix = await letters.read(), redriver.prefix

        def answer() -> DeadLetterList:
            fitting = [
                letter
                for letter in index.newest_first()
                if wanted.fits(letter, prefix) and wanted.status in (None, "waiting" if letter.waits else "redriven")
            ]
            rest = behind(fitting, wanted.after)
            page = list(islice(rest, wanted.limit))
            return DeadLetterList(
                letters=tuple(responses.row(letter, masker.mask, redriver.refusal(letter)) for letter in page),
                total_items=len(fitting),
                next=page[-1].id if page and next(rest, None) is not None else None,
                forgotten=index.forgotten,
            )

        return answer()

    @router.get(
        "/{letter_id}",
        summary="A dead letter with a masked beginning of its record",
        responses=describe_answers("The letter.", READING_LETTER),
        openapi_extra=describe_headers(AUTHOR),
    )
    async def get_dead_letter(request: Request, letter_id: LetterId) -> DeadLetterDetail:
        """One letter, with a masked beginning of its key, its value and its headers."""
        operators.require(request)
        _, letter = await letters.find(letter_id)
        record = await letters.record_of(letter)
        return await asyncio.to_thread(responses.detail, letter, record, masker.mask, redriver.refusal(letter))

    @router.get(
        "/{letter_id}/raw",
        summary="The exact bytes of a dead letter, unmasked",
        responses=describe_answers(
            "Key, value and headers in base64.", {**READING_LETTER, 403: "TARSY_RAW_DEAD_LETTERS does not allow it."}
        ),
        openapi_extra=describe_headers(AUTHOR),
    )
    async def get_raw_dead_letter(request: Request, letter_id: LetterId) -> DeadLetterRaw:
        """The exact bytes, **unmasked**. 403 unless TARSY_RAW_DEAD_LETTERS allows it."""
        author = operators.require_raw(request)
        _, letter = await letters.find(letter_id)
        record = await letters.record_of(letter)
        log.info("dead_letter.read_raw", letter_id=letter.id, author=author)
        return await asyncio.to_thread(responses.raw, letter, record)

    @router.post(
        "/{letter_id}/redrive",
        summary="Write a dead letter back to where it came from",
        responses=describe_answers("The outcome, which may be a refusal.", {**REDRIVING, 404: NO_LETTER}),
        openapi_extra=describe_headers(AUTHOR),
    )
    async def redrive_dead_letter(request: Request, letter_id: LetterId) -> Redriven:
        """Writes the original back to where it came from, with its identity. The outcome stands in the answer.

        A repeat is harmless: the same alert meets its session.
        """
        return await redriver.one(letter_id, operators.require(request))

    @router.post(
        "/redrive",
        summary="Write back all waiting dead letters that match, some at a time",
        responses=describe_answers("The outcome of each, and where to go on.", REDRIVING),
        openapi_extra=describe_headers(AUTHOR),
    )
    async def redrive_dead_letters(request: Request, order: RedriveOrder) -> RedriveAnswer:
        """Re-drives letters that wait and fit, the oldest first: at most 100, or for 20 seconds. `next` goes on."""
        author = operators.require(request)
        if order.dry_run:
            return await redriver.preview(order, order.after)
        return await redriver.redrive_waiting(order, order.after, author)

    return router
