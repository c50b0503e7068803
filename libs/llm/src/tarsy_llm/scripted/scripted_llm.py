"""A model that says what its script says, and only to those who bring what the script asks for."""

import json
import re
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator

from tarsy_contracts.conversation import AssistantMessage, Conversation, Usage
from tarsy_llm.protocol import Answer, AskedTool, Delta, ErrorKind, LlmCallError, LlmRequest
from tarsy_llm.scripted.script import PlacedTurn, Script, ScriptedTurn

MODEL = "scripted"
FEW_WORDS = re.compile(r"\s*(?:\S+\s*){1,3}")

type Sleep = Callable[[float], Awaitable[None]]


class ScriptedLlm:
    """An `Llm`. `pace_seconds` pass before each delta. How often a turn failed is remembered as long as this lives."""

    def __init__(self, script: Script, sleep: Sleep, *, pace_seconds: float = 0.0) -> None:
        self._script = script
        self._sleep = sleep
        self._pace_seconds = pace_seconds
        self._failed: Counter[int] = Counter()

    async def stream(self, request: LlmRequest) -> AsyncGenerator[Delta | Answer]:
        number, turn = self._play(request)
        failure = self._failure(number, turn)
        if failure is not None and not turn.fails_midway:
            raise failure
        deltas = list(_deltas(turn))
        for delta in deltas if failure is None else deltas[: (len(deltas) + 1) // 2]:
            await self._sleep(self._pace_seconds)
            yield delta
        if failure is not None:
            raise failure
        yield Answer(
            thinking=turn.thinking,
            text=turn.text,
            tool_calls=tuple(AskedTool(name=call.name, arguments=call.arguments) for call in turn.tool_calls),
            usage=_usage(turn),
            model=MODEL,
            native_calls=tuple(call for call in turn.native_calls if call.tool in request.native_tools),
            citations=turn.citations,
        )

    async def aclose(self) -> None:
        """It holds no connection."""

    def _play(self, request: LlmRequest) -> tuple[int, ScriptedTurn]:
        who = f"agent {request.agent}, iteration {request.iteration}"
        turns = [*self._turns(request.agent, request.iteration), *self._turns(request.agent, None)]
        if not turns:
            raise LlmCallError(f"the script has no turn for {who}", kind="invalid_request")
        heard = _all_texts(request.conversation)
        for number, placed in turns:
            if not _missing(placed.turn, heard):
                _refuse(placed, heard, who)
                return number, placed.turn
        raise _lacks([placed for _, placed in turns], heard, who)

    def _turns(self, agent: str, iteration: int | None) -> list[tuple[int, PlacedTurn]]:
        return [
            (number, placed)
            for number, placed in enumerate(self._script.turns)
            if (placed.turn.agent, placed.turn.iteration) == (agent, iteration)
        ]

    def _failure(self, number: int, turn: ScriptedTurn) -> LlmCallError | None:
        if turn.fail is None or (turn.times is not None and self._failed[number] >= turn.times):
            return None
        self._failed[number] += 1
        otherwise: ErrorKind = "provider_error" if turn.retryable else "invalid_request"
        return LlmCallError(
            turn.fail,
            kind=turn.kind or otherwise,
            retry_after_seconds=turn.retry_after_seconds,
            usage=_usage(turn) if turn.fails_midway else None,
        )


def _usage(turn: ScriptedTurn) -> Usage:
    return Usage.model_validate(turn.usage.model_dump())


def _missing(turn: ScriptedTurn, heard: str) -> list[str]:
    return [text for text in turn.needs if text not in heard]


def _lacks(turns: list[PlacedTurn], heard: str, who: str) -> LlmCallError:
    """Names the turn that comes nearest: the others are those of other incidents."""
    nearest = max(turns, key=lambda placed: len(placed.turn.needs) - len(_missing(placed.turn, heard)))
    missing = _missing(nearest.turn, heard)
    return LlmCallError(
        f"the script for {who} needs {missing}: the conversation does not hold it ({nearest.place})",
        kind="invalid_request",
    )


def _refuse(placed: PlacedTurn, heard: str, who: str) -> None:
    """The sentence names the place in the script, not the text: that is a secret, and the sentence is kept for ever."""
    for index, text in enumerate(placed.turn.refuses):
        if text in heard:
            raise LlmCallError(
                f"the script for {who} refuses: the conversation holds refuses[{index}] ({placed.place})",
                kind="invalid_request",
            )


def _all_texts(conversation: Conversation) -> str:
    texts = [conversation.system]
    for message in conversation.messages:
        texts.append(message.content)
        if isinstance(message, AssistantMessage):
            texts += [f"{call.name} {json.dumps(call.arguments, ensure_ascii=False)}" for call in message.tool_calls]
    return "\n".join(texts)


def _deltas(turn: ScriptedTurn) -> Iterator[Delta]:
    for piece in FEW_WORDS.findall(turn.thinking):
        yield Delta(part="thinking", text=piece)
    for piece in FEW_WORDS.findall(turn.text):
        yield Delta(part="text", text=piece)
