"""A client that asks again until the projection is as far as it wants, as clients of the API do."""

import httpx2

from tarsy_testing import eventually


async def once_projected(client: httpx2.AsyncClient, path: str) -> httpx2.Response:
    """The first answer that is not 503. The service waits for `at_least` itself, and a busy machine needs longer."""

    async def look() -> httpx2.Response | None:
        answer = await client.get(path)
        return None if answer.status_code == 503 else answer

    return await eventually(look, f"{path} is projected")
