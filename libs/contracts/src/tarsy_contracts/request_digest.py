"""Digest of all that a model was given: it proves a conversation that was made again from the log.

The digest is part of the wire: tests/test_request_digest.py holds vectors.
"""

import hashlib
import json
from collections.abc import Sequence

from pydantic import JsonValue

from tarsy_contracts.chain import NativeTool
from tarsy_contracts.conversation import Conversation, ToolDefinition


def digest_request(
    conversation: Conversation,
    *,
    tools: Sequence[ToolDefinition] = (),
    native_tools: Sequence[NativeTool] = (),
    answer_tokens: int | None = None,
    is_last: bool = False,
) -> str:
    """The SHA-256 of the fields in JSON. A field that has its default is not in it: so fields may be added later."""
    messages: list[JsonValue] = [
        [message.role, message.model_dump(mode="json", exclude_defaults=True)] for message in conversation.messages
    ]
    given: list[JsonValue] = [
        conversation.system,
        messages,
        [tool.model_dump(mode="json", exclude_defaults=True) for tool in tools],
        [*native_tools],
        answer_tokens,
        is_last,
    ]
    # Surrogates, which no UTF-8 has, are escaped like everything else that is not ASCII.
    return hashlib.sha256(json.dumps(given, separators=(",", ":")).encode()).hexdigest()
