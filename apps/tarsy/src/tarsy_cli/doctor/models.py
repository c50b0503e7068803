"""Check of the models: one tiny question, with the tools of agents, to each provider that they ask."""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass

from tarsy_cli.doctor.chain_tools import ChainTools, tools_of_chains
from tarsy_cli.doctor.configuration import require_config
from tarsy_cli.doctor.findings import CheckResult, NotCheckedError, failure, ok, warning
from tarsy_cli.doctor.setup import Setup
from tarsy_config.sections.providers import LlmProvider
from tarsy_contracts.conversation import Conversation, ToolDefinition, UserMessage
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
    "answer_too_long": "Check what answers at `base_url`: it never stops sending",
}
MOST_QUESTIONS = 6
"""A provider that refuses tools names one at a time: it is asked again without them, so often at most."""
OTHERWISE = "See the status page of the provider, and check the network from here to there (proxy, firewall)"


async def check_models(setup: Setup) -> AsyncIterator[CheckResult]:
    config = require_config(setup)
    used = {name: config.llm_providers[name] for name in sorted(config.llm_providers_in_use)}
    requested = {name: provider for name, provider in used.items() if provider.type != "scripted"}
    if not requested:
        yield ok("No model is asked: the answers come from a script.")
        return
    if not setup.asks_models:
        raise NotCheckedError(f"Models are not asked (--no-models): {', '.join(requested)}.")
    tools = await tools_of_chains(setup, config)
    for finding in await asyncio.gather(
        *(_judge_provider(name, provider, tools) for name, provider in requested.items())
    ):
        yield finding


@dataclass(frozen=True, slots=True)
class Answered:
    """`taken`: how many tools the question had. `refused`: those that the provider did not take; `words`: why."""

    taken: int
    refused: Sequence[str]
    words: str


async def _judge_provider(name: str, provider: LlmProvider, tools: ChainTools) -> CheckResult:
    if (lack := provider.lack) is not None:
        return failure(f"{name} has no {lack.what.removeprefix('API ')}.", f"S{lack.remedy[1:]}.")
    keys = " or ".join(provider.key_variables) or "the credentials of its cloud"
    began = time.monotonic()
    llm = build_llm(provider, LIMITS)
    try:
        answered = await _ask_without_refused_tools(llm, tools.by_provider.get(name, ()))
    except LlmCallError as problem:
        remedy = f"{REMEDIES.get(problem.kind, OTHERWISE)}{f' ({keys})' if problem.kind == 'credentials' else ''}."
        # It has let us in, and may answer the next one.
        verdict = warning if problem.kind == "rate_limited" else failure
        return verdict(f"{name} ({provider.model}) does not answer: {problem}.", remedy)
    finally:
        await llm.aclose()
    answers = f"{name} ({provider.model}) answers after {time.monotonic() - began:.1f} seconds"
    if answered.refused:
        refused = ", ".join(tools.real_names[tool] for tool in answered.refused)
        sentence = f"{answers}, but refuses tools that agents then have to do without: {refused} ({answered.words})."
        return warning(sentence, "Correct their schemas at the server, or leave them out of the agent's tools.")
    asked_with = f"without tools: {tools.why_none}" if tools.why_none else f"with {answered.taken} tools"
    return ok(f"{answers}, {asked_with}.")


async def _ask_without_refused_tools(llm: Llm, tools: Sequence[ToolDefinition]) -> Answered:
    """Asks without the tools that were refused, as an investigation does. Raises LlmCallError."""
    refused: list[str] = []
    words = ""
    for _ in range(MOST_QUESTIONS):
        offered = [tool for tool in tools if tool.name not in refused]
        try:
            await _await_first_token(llm, offered)
        except LlmCallError as problem:
            more = _list_refused_tools(problem, offered)
            if not more:
                raise
            refused += more
            words = str(problem)
        else:
            return Answered(len(offered), refused, words)
    await _await_first_token(llm, ())
    return Answered(0, refused, words)


def _list_refused_tools(problem: LlmCallError, offered: Sequence[ToolDefinition]) -> Sequence[str]:
    beyond = offered[problem.most_tools :] if problem.most_tools is not None else ()
    return problem.refused_tools or [tool.name for tool in beyond]


async def _await_first_token(llm: Llm, tools: Sequence[ToolDefinition]) -> None:
    """Its first words are enough; leaving ends the call."""
    question = QUESTION.model_copy(update={"tools": tuple(tools)})
    async with aclosing(llm.stream(question)) as parts:
        async for part in parts:
            if part != KEEPALIVE:
                return
