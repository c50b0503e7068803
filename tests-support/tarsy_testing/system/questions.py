"""Questions to sessions that have ended, through the API, as people ask them."""

import asyncio
from uuid import uuid4

import httpx2

from tarsy_testing.real_servers import eventually
from tarsy_testing.system.investigation import Row
from tarsy_testing.system.system import System


async def post_question(
    system: System, session_id: str, content: str, who: str = "ann", *, key: str = ""
) -> httpx2.Response:
    url = f"{system.of('timeline').url}/api/v1/sessions/{session_id}/chat/messages"
    headers = {"X-Forwarded-User": who} | ({"Idempotency-Key": key} if key else {})
    return await asyncio.to_thread(httpx2.post, url, json={"content": content}, headers=headers, timeout=90.0)


async def ask_question(system: System, session_id: str, content: str, who: str = "ann") -> Row:
    """One that is taken: as long as nobody has decided on it, it is sent again under its key, as clients do."""
    key = str(uuid4())

    async def taken() -> Row | None:
        answer = await post_question(system, session_id, content, who, key=key)
        assert answer.status_code == 202, answer.text
        sent: Row = answer.json()
        return sent if sent["accepted"] else None

    return await eventually(taken, f"somebody decides on {content!r}")
