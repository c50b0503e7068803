"""An `Llm` whose kept credential may have been taken back before its end."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from tarsy_llm.credentials.cache import CredentialCache
from tarsy_llm.protocol import Answer, Delta, Llm, LlmCallError, LlmRequest


class RenewingLlm:
    """Asks once more, with a new credential, when one that was kept is refused."""

    def __init__[T](self, llm: Llm, credentials: CredentialCache[T]) -> None:
        self._llm = llm
        self._credentials = credentials

    async def stream(self, request: LlmRequest) -> AsyncGenerator[Delta | Answer]:
        kept, has_begun = self._credentials.kept, False
        try:
            async with aclosing(self._llm.stream(request)) as parts:
                async for part in parts:
                    has_begun = True
                    yield part
            return
        except LlmCallError as problem:
            if problem.kind != "credentials" or has_begun or kept is None:
                raise
            self._credentials.discard(kept)
        async with aclosing(self._llm.stream(request)) as parts:
            async for part in parts:
                yield part

    async def aclose(self) -> None:
        await self._llm.aclose()
