"""Tool calls whose arguments came as JSON text."""

from tarsy_contracts.call_arguments import read_arguments
from tarsy_llm.protocol import AskedTool, LlmCallError

SHOWN = 300


def parse_tool_calls(provider: str, name: str, arguments: str) -> list[AskedTool]:
    """Returns one call, or several whose arguments were glued together. No text means no arguments.

    Arguments that nobody can read are told to the model as a failed call. Raises LlmCallError for a call without a
    name.
    """
    if not name:
        raise LlmCallError(f"{provider} asked for a tool without a name", kind="malformed_call")
    found = read_arguments(arguments)
    if found is None:
        return [AskedTool(name=name, arguments={}, problem=_problem(arguments))]
    return [AskedTool(name=name, arguments=one) for one in found]


def _problem(arguments: str) -> str:
    shown = arguments if len(arguments) <= SHOWN else f"{arguments[:SHOWN]} ..."
    return (
        "The call was not made: its arguments are no JSON object. They were:"
        f" {shown}\nMake the call again, with its arguments as one JSON object."
    )
