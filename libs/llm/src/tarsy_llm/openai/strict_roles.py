"""Messages for templates that want roles to alternate (Mistral's, Gemma's)."""

from collections.abc import Sequence

from pydantic import JsonValue

type Message = dict[str, JsonValue]


def alternate_roles(messages: Sequence[Message]) -> list[Message]:
    """Returns the same words in fewer messages: one that may not stand there joins the message before it."""
    found: list[Message] = []
    for message in messages:
        before = found[-1] if found else None
        if before is not None and _joins(before, message):
            found[-1] = _joined(before, message)
        else:
            found.append(message)
    return found


def _joins(before: Message, message: Message) -> bool:
    role, earlier = message["role"], before["role"]
    if role == "user":
        return earlier in ("user", "tool")
    return role == "assistant" == earlier and "tool_calls" not in before


def _joined(before: Message, message: Message) -> Message:
    words = [text for one in (before, message) if isinstance(text := one.get("content"), str) and text]
    more = {key: value for key, value in message.items() if key not in ("role", "content")}
    return {**before, **more, "content": "\n\n".join(words)}
