"""Digest of all that a model was given: it proves a conversation that was made again from the log.

The digest is part of the wire: tests/test_request_digest.py holds vectors.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence

from pydantic import JsonValue

from tarsy_contracts.chain import NativeTool
from tarsy_contracts.conversation import Conversation, ConversationMessage, ToolDefinition


class ConversationDigest:
    """Digest of the beginning of a conversation. It never changes: where the conversation goes on, another is made."""

    def __init__(self, system: str) -> None:
        self._hash = hashlib.sha256(f"[{_to_json(system)},[".encode())
        self._empty = True

    def extend(self, messages: Iterable[ConversationMessage]) -> "ConversationDigest":
        """Costs what these messages cost, whatever came before them."""
        after = ConversationDigest.__new__(ConversationDigest)
        after._hash, after._empty = self._hash.copy(), self._empty
        for message in messages:
            text = _to_json([message.role, message.model_dump(mode="json", exclude_defaults=True)])
            after._hash.update((text if after._empty else f",{text}").encode())
            after._empty = False
        return after

    def of_request(
        self,
        *,
        tools: Sequence[ToolDefinition] = (),
        native_tools: Sequence[NativeTool] = (),
        answer_tokens: int | None = None,
        is_last: bool = False,
    ) -> str:
        """The conversation ends here, and this goes with it."""
        shown: JsonValue = [tool.model_dump(mode="json", exclude_defaults=True) for tool in tools]
        rest: tuple[JsonValue, ...] = (shown, [*native_tools], answer_tokens, is_last)
        whole = self._hash.copy()
        whole.update(f"],{','.join(map(_to_json, rest))}]".encode())
        return whole.hexdigest()


def digest_request(
    conversation: Conversation,
    *,
    tools: Sequence[ToolDefinition] = (),
    native_tools: Sequence[NativeTool] = (),
    answer_tokens: int | None = None,
    is_last: bool = False,
) -> str:
    """The SHA-256 of the fields in JSON. A field that has its default is not in it: so fields may be added later."""
    return digest_conversation(conversation).of_request(
        tools=tools, native_tools=native_tools, answer_tokens=answer_tokens, is_last=is_last
    )


def digest_conversation(conversation: Conversation) -> ConversationDigest:
    return ConversationDigest(conversation.system).extend(conversation.messages)


def _to_json(value: JsonValue) -> str:
    # Surrogates, which no UTF-8 has, are escaped like everything else that is not ASCII.
    return json.dumps(value, separators=(",", ":"))
