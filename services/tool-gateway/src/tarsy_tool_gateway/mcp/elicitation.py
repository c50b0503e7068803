"""Elicitation: the answer to a server that asks the user something. Nobody can be asked while TARSy investigates.

A form is a person's to answer, so it is declined; the operator may let a server have its own defaults back.
"""

from typing import Any

from mcp.client import ClientRequestContext
from mcp.client.session import ElicitationFnT
from mcp_types import ElicitRequestFormParams, ElicitRequestParams, ElicitResult
from pydantic import ValidationError

from tarsy_config.sections.servers import Elicitation

DECLINED = ElicitResult(action="decline")


def elicitation_callback(setting: Elicitation) -> ElicitationFnT:
    async def answer(context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:
        return answer_to(params, setting)

    return answer


def answer_to(request: ElicitRequestParams, setting: Elicitation = "decline") -> ElicitResult:
    """With `accept_defaults`, a form that is filled in already is sent back as it is. All else is declined."""
    if setting == "decline" or not isinstance(request, ElicitRequestFormParams):
        return DECLINED
    filled_in = _fill_in_defaults(request.requested_schema)
    if filled_in is None:
        return DECLINED
    try:
        return ElicitResult(action="accept", content=filled_in)
    except ValidationError:
        # A default of a kind that no form may have.
        return DECLINED


def _fill_in_defaults(schema: dict[str, Any]) -> dict[str, Any] | None:
    """Every field with its own default; None where one has none, or where there is no field."""
    fields = schema.get("properties")
    if not isinstance(fields, dict) or not fields:
        return None
    defaults = {name: _default_value(field) for name, field in fields.items()}
    unknown = set(_list_or_empty(schema.get("required"))) - set(fields)
    return None if unknown or None in defaults.values() else defaults


def _default_value(field: object) -> Any:
    return field.get("default") if isinstance(field, dict) else None


def _list_or_empty(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
