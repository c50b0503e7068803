"""A client that asks again until the projection is as far as it wants, as clients of the API do."""

import httpx2

from tarsy_testing.real_servers import WAIT_SECONDS, eventually


async def once_projected(client: httpx2.AsyncClient, path: str) -> httpx2.Response:
    """The first answer that is not 503. The service waits for `at_least` itself, and a busy machine needs longer."""

    async def look() -> httpx2.Response | None:
        answer = await client.get(path)
        return None if answer.status_code == 503 else answer

    return await eventually(look, f"{path} is projected")


async def until_projected(timeline: str, session_id: str, number: int = 0) -> None:
    """The API at this address shows the session, up to this event: whoever asks sooner is answered 404 or 503."""
    url = f"{timeline}/api/v1/sessions/{session_id}/status?at_least={number}"

    async def is_shown() -> bool:
        async with httpx2.AsyncClient(timeout=WAIT_SECONDS) as client:
            return (await client.get(url)).status_code == 200

    await eventually(is_shown, f"{session_id} is projected up to event {number}")
