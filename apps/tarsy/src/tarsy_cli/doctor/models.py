"""Check of the models: one tiny question to each provider that some investigation will ask."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import aclosing

from tarsy_cli.doctor.configuration import configured
from tarsy_cli.doctor.findings import CheckResult, NotCheckedError, failed, ok, warning
from tarsy_cli.doctor.setup import Setup
from tarsy_config.providers import LlmProvider
from tarsy_contracts.conversation import Conversation, UserMessage
from tarsy_llm.protocol import KEEPALIVE, ErrorKind, Llm, LlmCallError, LlmRequest
from tarsy_llm.providers import build_llm
from tarsy_llm.timeouts import StreamLimits

LIMITS = StreamLimits(first_chunk_seconds=30.0, stall_seconds=15.0)
ANSWER_TOKENS = 16
QUESTION = LlmRequest(
    agent="doctor",
    iteration=1,
    conversation=Conversation(system="Answer in one word.", messages=(UserMessage(content="Say ok."),)),
    answer_tokens=ANSWER_TOKENS,
)
REMEDIES: dict[ErrorKind, str] = {
    "credentials": "Set a key that is valid, and see that its account is paid",
    "invalid_request": "Compare `model`, `base_url` and `thinking` in tarsy.yaml with what the provider offers",
    "answer_too_long": "See what answers at `base_url`: it sends without end",
}
OTHERWISE = "See the status page of the provider, and the way from here to there (proxy, firewall)"


async def check_models(setup: Setup) -> AsyncIterator[CheckResult]:
    config = configured(setup)
    used = {name: config.llm_providers[name] for name in sorted(config.llm_providers_in_use)}
    asked = {name: provider for name, provider in used.items() if provider.type != "scripted"}
    if not asked:
        yield ok("No model is asked: the answers come from a script.")
        return
    if not setup.asks_models:
        raise NotCheckedError(f"Models are not asked (--no-models): {', '.join(asked)}.")
    for finding in await asyncio.gather(*(_judge(name, provider) for name, provider in asked.items())):
        yield finding


async def _judge(name: str, provider: LlmProvider) -> CheckResult:
    keys = " or ".join(provider.key_variables)
    if not provider.usable:
        return failed(f"{name} has no key.", f"Set {keys}.")
    began = time.monotonic()
    llm = build_llm(provider, LIMITS)
    try:
        await _until_it_speaks(llm)
    except LlmCallError as problem:
        remedy = f"{REMEDIES.get(problem.kind, OTHERWISE)}{f' ({keys})' if problem.kind == 'credentials' else ''}."
        # It has let us in, and may answer the next one.
        told = warning if problem.kind == "rate_limited" else failed
        return told(f"{name} ({provider.model}) does not answer: {problem}.", remedy)
    finally:
        await llm.aclose()
    return ok(f"{name} ({provider.model}) answers after {time.monotonic() - began:.1f} seconds.")


async def _until_it_speaks(llm: Llm) -> None:
    """Its first words are enough; leaving ends the call."""
    async with aclosing(llm.stream(QUESTION)) as parts:
        async for part in parts:
            if part != KEEPALIVE:
                return
