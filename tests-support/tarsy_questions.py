"""Questions to sessions that have ended, through the API, as people ask them."""

import asyncio

import httpx2

from tarsy_investigation import Row
from tarsy_system import System


async def post_question(system: System, session_id: str, content: str, who: str = "ann") -> httpx2.Response:
    url = f"{system.of('timeline').url}/api/v1/sessions/{session_id}/chat/messages"
    headers = {"X-Forwarded-User": who}
    return await asyncio.to_thread(httpx2.post, url, json={"content": content}, headers=headers, timeout=90.0)


async def ask_question(system: System, session_id: str, content: str, who: str = "ann") -> Row:
    """One that is taken."""
    answer = await post_question(system, session_id, content, who)
    assert answer.status_code == 202, answer.text
    sent: Row = answer.json()
    assert sent["accepted"] is True
    return sent
