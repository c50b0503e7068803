"""Elicitation: the answer to a server that asks the user something. Nobody can be asked while TARSy investigates."""

from typing import Any

from mcp.client import ClientRequestContext
from mcp_types import ElicitRequestFormParams, ElicitRequestParams, ElicitResult
from pydantic import ValidationError

DECLINED = ElicitResult(action="decline")


async def answer_elicitation(context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:
    return answer_to(params)


def answer_to(asked: ElicitRequestParams) -> ElicitResult:
    """A form that is filled in already is sent back as it is. All else is a person's to give, a mere yes above all."""
    filled_in = _filled_in(asked.requested_schema) if isinstance(asked, ElicitRequestFormParams) else None
    if filled_in is None:
        return DECLINED
    try:
        return ElicitResult(action="accept", content=filled_in)
    except ValidationError:
        # A default of a kind that no form may have.
        return DECLINED


def _filled_in(schema: dict[str, Any]) -> dict[str, Any] | None:
    """Every field with its own default; None where one has none, or where there is no field."""
    fields = schema.get("properties")
    if not isinstance(fields, dict) or not fields:
        return None
    defaults = {name: _default(field) for name, field in fields.items()}
    unknown = set(_listed(schema.get("required"))) - set(fields)
    return None if unknown or None in defaults.values() else defaults


def _default(field: object) -> Any:
    return field.get("default") if isinstance(field, dict) else None


def _listed(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
