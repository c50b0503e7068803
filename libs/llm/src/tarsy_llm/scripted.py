"""A model that says what its script says, and only to those who bring what the script asks for."""

import json
import re
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator

from tarsy_contracts.conversation import AssistantMessage, Conversation, Usage
from tarsy_llm.protocol import Answer, AskedTool, Delta, LlmError, LlmRequest
from tarsy_llm.script import Script, Turn

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
        turn = self._turn(request)
        self._fail_if_told(turn)
        for delta in _deltas(turn):
            await self._sleep(self._pace_seconds)
            yield delta
        yield Answer(
            thinking=turn.thinking,
            text=turn.text,
            tool_calls=tuple(AskedTool(name=call.name, arguments=call.arguments) for call in turn.tool_calls),
            usage=Usage(**turn.usage.model_dump()),
            model=MODEL,
        )

    def _turn(self, request: LlmRequest) -> Turn:
        who = f"agent {request.agent}, iteration {request.iteration}"
        turns = [
            turn for turn in self._script.turns if (turn.agent, turn.iteration) == (request.agent, request.iteration)
        ]
        if not turns:
            raise LlmError(f"the script has no turn for {who}", retryable=False)
        heard = _everything_said(request.conversation)
        for turn in turns:
            if all(text in heard for text in turn.needs):
                _refuse(turn, heard, who)
                return turn
        missing = [text for text in turns[0].needs if text not in heard]
        raise LlmError(f"the script for {who} needs {missing}: the conversation does not hold it", retryable=False)

    def _fail_if_told(self, turn: Turn) -> None:
        if turn.fail is None:
            return
        place = self._script.turns.index(turn)
        if turn.times is None or self._failed[place] < turn.times:
            self._failed[place] += 1
            raise LlmError(turn.fail, retryable=turn.retryable)


def _refuse(turn: Turn, heard: str, who: str) -> None:
    """The sentence names the place in the script, not the text: that is a secret, and the sentence is kept for ever."""
    for index, text in enumerate(turn.refuses):
        if text in heard:
            raise LlmError(f"the script for {who} refuses: the conversation holds refuses[{index}]", retryable=False)


def _everything_said(conversation: Conversation) -> str:
    said = [conversation.system]
    for message in conversation.messages:
        said.append(message.content)
        if isinstance(message, AssistantMessage):
            said += [f"{call.name} {json.dumps(call.arguments, ensure_ascii=False)}" for call in message.tool_calls]
    return "\n".join(said)


def _deltas(turn: Turn) -> Iterator[Delta]:
    for piece in FEW_WORDS.findall(turn.thinking):
        yield Delta(part="thinking", text=piece)
    for piece in FEW_WORDS.findall(turn.text):
        yield Delta(part="text", text=piece)
