"""Refusal of query parameters that a route does not know: one rule for all routes of all services.

A misspelt filter that is ignored answers another question than the one that was asked.
"""

import re

from fastapi.dependencies.models import Dependant
from fastapi.dependencies.utils import get_flat_params
from fastapi.exceptions import RequestValidationError
from starlette.requests import HTTPConnection

API = ("/api/", "/internal/")
"""Beside them are the page, whose addresses carry what only the page reads, and what probes ask."""
SHOWN = re.compile(r"[A-Za-z0-9_.-]{1,64}")
"""A name that is repeated to its sender. Any other is only counted as unknown."""


async def refuse_unknown_parameters(connection: HTTPConnection) -> None:
    """Dependency of every route. Raises RequestValidationError, with a place for each unknown parameter."""
    scope = connection.scope
    if scope["type"] != "http" or not scope["path"].startswith(API) or not connection.query_params:
        return
    known = query_names(_dependant_of(connection))
    unknown = [name for name in connection.query_params if name not in known]
    if unknown:
        message = f"unknown parameter; known: {', '.join(sorted(known)) or 'none'}"
        raise RequestValidationError([{"loc": ("query", *_name_if_harmless(name)), "msg": message} for name in unknown])


def query_names(dependant: Dependant) -> frozenset[str]:
    """The names that a route reads from the query, those of its models and dependencies included."""
    own = get_flat_params(Dependant(query_params=dependant.query_params))
    return frozenset(field.alias for field in own).union(*map(query_names, dependant.dependencies))


def _dependant_of(connection: HTTPConnection) -> Dependant:
    """A route inside of another router knows a part only; FastAPI keeps the whole beside it."""
    context = connection.scope.get("fastapi", {}).get("effective_route_context")
    found: Dependant = (context if context is not None else connection.scope["route"]).dependant
    return found


def _name_if_harmless(name: str) -> tuple[str, ...]:
    return (name,) if SHOWN.fullmatch(name) else ()
