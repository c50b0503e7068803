"""A provider of models for whole-system tests: it speaks the wire formats of all, and says what a script says.

`python tests-support/tarsy_testing/servers/provider.py PORT` runs it for people, who then set GEMINI_API_KEY and
GOOGLE_GEMINI_BASE_URL (or the variables of another provider) and run `make up`: all but the model is real then.
"""

import json
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import JsonValue

from tarsy_llm.scripted.script import ScriptedTurn, load_scripts
from tarsy_testing.servers.event_stream import claude_frame, event
from tarsy_testing.servers.http_server import Quiet, serving
from tarsy_testing.story.incident import INCIDENT

MODEL = "model-of-the-test"
OF_DOCTOR = "Say ok."

type Events = Iterable[tuple[str, JsonValue]]
"""Server-sent events with a name ("" for none)."""


@dataclass
class Provider:
    """`heard` holds the text of every request; `keys` the API keys that came with them, and `bodies` their bytes."""

    turns: Sequence[ScriptedTurn]
    url: str = ""
    heard: list[str] = field(default_factory=list)
    keys: set[str] = field(default_factory=set)
    bodies: list[bytes] = field(default_factory=list)

    def answer(self, body: JsonValue, assistant: str) -> ScriptedTurn:
        """`assistant` is what this format calls the model's own messages. An agent has tools, a summarizer has none.

        A turn without an iteration fits any, when no other does.
        """
        if not isinstance(body, dict):
            raise TypeError("the request is no object")
        messages = body.get("messages", body.get("contents"))
        if not isinstance(messages, list):
            raise TypeError("the request holds no messages")
        iteration = 1 + sum(isinstance(one, dict) and one.get("role") == assistant for one in messages)
        text = "\n".join(_texts(body))
        agent = _agent_of(text, has_tools=bool(body.get("tools") or body.get("toolConfig")))
        self.heard.append(text)
        for wanted in (iteration, None):
            for turn in self.turns:
                if (turn.agent, turn.iteration) == (agent, wanted) and all(need in text for need in turn.needs):
                    return turn
        raise LookupError(f"no turn for {agent}, iteration {iteration}")


def _agent_of(text: str, *, has_tools: bool) -> str:
    if "you are called ChatAgent" in text:
        return "ChatAgent"
    if OF_DOCTOR in text:
        # It offers tools, too, and takes any words.
        return "Summarizer"
    return "KubernetesAgent" if has_tools else "Summarizer"


def _texts(value: JsonValue) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            for one in value.values():
                yield from _texts(one)
        case list():
            for one in value:
                yield from _texts(one)
        case _:
            pass


def _google(turn: ScriptedTurn) -> Events:
    def chunk(parts: list[JsonValue], **more: JsonValue) -> tuple[str, JsonValue]:
        content: JsonValue = {"role": "model", "parts": parts}
        return "", {"candidates": [{"content": content, **more}], "modelVersion": MODEL}

    yield chunk([{"text": turn.thinking, "thought": True}])
    for line in turn.text.splitlines(keepends=True):
        yield chunk([{"text": line}])
    for index, call in enumerate(turn.tool_calls):
        part: dict[str, JsonValue] = {"functionCall": {"name": call.name, "args": call.arguments}}
        yield chunk([part | ({"thoughtSignature": "c2lnbmVk"} if index == 0 else {})])
    usage: JsonValue = {"promptTokenCount": turn.usage.input_tokens, "candidatesTokenCount": turn.usage.output_tokens}
    yield "", {"candidates": [{"finishReason": "STOP"}], "usageMetadata": usage, "modelVersion": MODEL}


def _openai(turn: ScriptedTurn) -> Events:
    def chunk(delta: JsonValue, finish: str | None = None) -> tuple[str, JsonValue]:
        choice: JsonValue = {"index": 0, "delta": delta, "finish_reason": finish}
        return "", {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": MODEL, "choices": [choice]}

    yield chunk({"role": "assistant", "content": ""})
    yield chunk({"reasoning_content": turn.thinking})
    for line in turn.text.splitlines(keepends=True):
        yield chunk({"content": line})
    for index, call in enumerate(turn.tool_calls):
        head: JsonValue = {"name": call.name, "arguments": ""}
        yield chunk({"tool_calls": [{"index": index, "id": f"call_{index}", "type": "function", "function": head}]})
        arguments: JsonValue = {"arguments": json.dumps(call.arguments)}
        yield chunk({"tool_calls": [{"index": index, "function": arguments}]})
    yield chunk({}, "tool_calls" if turn.tool_calls else "stop")
    counted = (turn.usage.input_tokens or 0, turn.usage.output_tokens or 0)
    usage: JsonValue = {"prompt_tokens": counted[0], "completion_tokens": counted[1], "total_tokens": sum(counted)}
    last: dict[str, JsonValue] = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": MODEL}
    yield "", last | {"choices": [], "usage": usage}


def _anthropic(turn: ScriptedTurn) -> Events:
    blocks: list[tuple[JsonValue, list[JsonValue]]] = []
    if turn.thinking:
        blocks.append(
            (
                {"type": "thinking", "thinking": "", "signature": ""},
                [
                    {"type": "thinking_delta", "thinking": turn.thinking},
                    {"type": "signature_delta", "signature": "c2lnbmVk"},
                ],
            )
        )
    lines = turn.text.splitlines(keepends=True)
    blocks.append(({"type": "text", "text": ""}, [{"type": "text_delta", "text": line} for line in lines]))
    for index, call in enumerate(turn.tool_calls):
        block: JsonValue = {"type": "tool_use", "id": f"toolu_{index}", "name": call.name, "input": {}}
        blocks.append((block, [{"type": "input_json_delta", "partial_json": json.dumps(call.arguments)}]))
    message: dict[str, JsonValue] = {"id": "m", "type": "message", "role": "assistant", "model": MODEL, "content": []}
    message |= {"stop_reason": None, "usage": {"input_tokens": turn.usage.input_tokens or 0, "output_tokens": 1}}
    yield "message_start", {"type": "message_start", "message": message}
    for index, (block, deltas) in enumerate(blocks):
        yield "content_block_start", {"type": "content_block_start", "index": index, "content_block": block}
        for delta in deltas:
            yield "content_block_delta", {"type": "content_block_delta", "index": index, "delta": delta}
        yield "content_block_stop", {"type": "content_block_stop", "index": index}
    ended: JsonValue = {"stop_reason": "tool_use" if turn.tool_calls else "end_turn", "stop_sequence": None}
    usage: JsonValue = {"output_tokens": turn.usage.output_tokens or 0}
    yield "message_delta", {"type": "message_delta", "delta": ended, "usage": usage}
    yield "message_stop", {"type": "message_stop"}


def _converse(turn: ScriptedTurn) -> Events:
    def delta(index: int, said: JsonValue) -> tuple[str, JsonValue]:
        return "contentBlockDelta", {"contentBlockIndex": index, "delta": said}

    yield "messageStart", {"role": "assistant"}
    yield delta(0, {"reasoningContent": {"text": turn.thinking}})
    for line in turn.text.splitlines(keepends=True):
        yield delta(1, {"text": line})
    for index, call in enumerate(turn.tool_calls, start=2):
        start: JsonValue = {"toolUse": {"toolUseId": f"tooluse_{index}", "name": call.name}}
        yield "contentBlockStart", {"contentBlockIndex": index, "start": start}
        yield delta(index, {"toolUse": {"input": json.dumps(call.arguments)}})
        yield "contentBlockStop", {"contentBlockIndex": index}
    yield "messageStop", {"stopReason": "tool_use" if turn.tool_calls else "end_turn"}
    yield "metadata", {"usage": {"inputTokens": turn.usage.input_tokens, "outputTokens": turn.usage.output_tokens}}


def _in_event(name: str, data: JsonValue) -> bytes:
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(data)}\n\n".encode()


def _in_claude_frame(_name: str, data: JsonValue) -> bytes:
    return claude_frame(data)


@dataclass(frozen=True, slots=True)
class Format:
    """`path`: a part of it. `keys`: the headers that may have the key. `role`: that of the model's own messages."""

    path: str
    speak: Callable[[ScriptedTurn], Events]
    keys: tuple[str, ...] = ("authorization",)
    role: str = "assistant"
    encode: Callable[[str, JsonValue], bytes] = _in_event


FORMATS = (
    Format(":streamGenerateContent", _google, ("x-goog-api-key", "authorization"), role="model"),
    Format("/chat/completions", _openai, ("authorization", "api-key")),
    Format("/v1/messages", _anthropic),
    Format(":streamRawPredict", _anthropic),
    Format("/invoke-with-response-stream", _anthropic, encode=_in_claude_frame),
    Format("/converse-stream", _converse, encode=event),
)
"""Those of Google, OpenAI and Anthropic, also in the clouds, and Bedrock's own."""


@contextmanager
def provider(*, port: int = 0, scripts: Sequence[Path] = (INCIDENT / "script.yaml",)) -> Iterator[Provider]:
    provider = Provider([placed.turn for placed in load_scripts(scripts).turns])

    class Handler(Quiet):
        def do_POST(self) -> None:
            provider.bodies.append(self.body())
            body = json.loads(provider.bodies[-1])
            spoken = next(each for each in FORMATS if each.path in self.path)
            sent = next((self.headers[name] for name in spoken.keys if name in self.headers), "")
            provider.keys.add(sent.removeprefix("Bearer "))
            try:
                turn = provider.answer(body, spoken.role)
            except LookupError as problem:
                self.send_error(400, str(problem))
                return
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            for name, data in spoken.speak(turn):
                self.wfile.write(spoken.encode(name, data))
                self.wfile.flush()

    with serving(Handler, port=port) as provider.url:
        yield provider


if __name__ == "__main__":
    with provider(port=int(sys.argv[1])) as running:
        print(f"a provider of models is at {running.url}")  # noqa: T201 - a program of its own
        threading.Event().wait()
