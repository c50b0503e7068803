"""Probe of `/ready`: one question with a limit, and an answer whatever comes of it."""

import asyncio

import httpx2
from pydantic import ValidationError

from tarsy_local.ready_answer import ReadyAnswer, unready_answer


async def ask_ready(client: httpx2.AsyncClient, service: str, url: str, seconds: float) -> ReadyAnswer:
    """Asks `/ready` below an address. No answer in time, or one that is not ours, counts as not ready."""
    try:
        async with asyncio.timeout(seconds):
            # A connection that was kept may be closed by the other side at the moment of the next question.
            answer = await client.get(f"{url}/ready", headers={"connection": "close"}, timeout=None)
    except TimeoutError:
        return unready_answer(service, f"/ready does not answer within {seconds:g} seconds")
    except httpx2.HTTPError as problem:
        return unready_answer(service, f"/ready does not answer ({str(problem) or type(problem).__name__})")
    try:
        ready = ReadyAnswer.model_validate_json(answer.content)
    except ValidationError:
        return unready_answer(service, f"/ready answers {answer.status_code}, and not as a TARSy of this version")
    return ready.model_copy(update={"ready": ready.ready and answer.status_code == 200})
