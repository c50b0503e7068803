"""Arguments of a tool call that came as JSON text."""

import json

from pydantic import JsonValue

from tarsy_llm.protocol import AskedTool, LlmCallError


def asked_tool(provider: str, name: str, arguments: str) -> AskedTool:
    """No text means no arguments. Raises LlmCallError: the model may do better when it is asked again."""
    if not name:
        raise LlmCallError(f"{provider} asked for a tool without a name", kind="provider_error")
    try:
        found: JsonValue = json.loads(arguments) if arguments.strip() else {}
    except ValueError:
        raise LlmCallError(
            f"{provider} asked for the tool {name} with arguments that are not JSON", kind="provider_error"
        ) from None
    if not isinstance(found, dict):
        raise LlmCallError(
            f"{provider} asked for the tool {name} with arguments that are no JSON object", kind="provider_error"
        )
    return AskedTool(name=name, arguments=found)
