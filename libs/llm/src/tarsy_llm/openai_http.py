"""One streamed question over the HTTP client, without OpenAI's SDK (docs/decisions/0019)."""

import json
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic_core import to_json

from tarsy_llm.endpoint import Body

if TYPE_CHECKING:
    import httpx2

SAID = {"accept": "application/json", "content-type": "application/json", "user-agent": "tarsy"}
ORGANISATION = {"OPENAI_ORG_ID": "openai-organization", "OPENAI_PROJECT_ID": "openai-project"}
"""Variables that users of OpenAI set for every program, and the headers that they become."""


class Unreached(Exception):
    """The server did not begin to answer; what httpx said of it is the cause."""


class Refused(Exception):
    """It answered with a status that is no success. `body` is what it said: JSON, or else text."""

    def __init__(self, response: "httpx2.Response", body: object) -> None:
        super().__init__(response.status_code)
        self.response = response
        self.body = body


@dataclass(frozen=True, slots=True)
class Answering:
    response: "httpx2.Response"

    def iter_bytes(self) -> AsyncIterator[bytes]:
        return self.response.aiter_bytes()


def headers(key: str, environ: Mapping[str, str]) -> dict[str, str]:
    own = {header: environ[name] for name, header in ORGANISATION.items() if environ.get(name)}
    return {**SAID, **own, "authorization": f"Bearer {key}"}


@asynccontextmanager
async def asking(
    client: "httpx2.AsyncClient", address: str, said: Mapping[str, str], body: Body
) -> AsyncGenerator[Answering]:
    """Raises Unreached, Refused, or what httpx raises when the body of a refusal breaks off."""
    import httpx2  # It has been imported: there is a client.

    request = client.build_request("POST", address, content=to_json(body), headers=said)
    try:
        response = await client.send(request, stream=True)
    except httpx2.HTTPError as problem:
        raise Unreached from problem
    try:
        if not response.is_success:
            await response.aread()
            raise Refused(response, _read(response.text.strip()))
        yield Answering(response)
    finally:
        await response.aclose()


def _read(text: str) -> object:
    try:
        found: object = json.loads(text)
    except ValueError:
        return text
    return found
