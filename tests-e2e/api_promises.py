"""Operations of an OpenAPI document, asked for what it allows and for what it forbids: answers that it does not say."""

import copy
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import FailureGroup
from schemathesis.core.result import Ok
from schemathesis.generation import GenerationMode
from schemathesis.schemas import APIOperation, BaseSchema
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

type Operation = APIOperation[Any, Any, Any, Any]

EXAMPLES = 6
"""The number for each operation, and as many that its schema forbids."""
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
WAITING = "at_least"
"""An event that never comes is waited for, and answered by 503: tests of the timeline have it."""


def broken_promises(
    document: Mapping[str, Any], url_of: Callable[[str], str], credential: Mapping[str, str]
) -> list[str]:
    """`url_of`: the address of the service that answers a path."""
    asked = copy.deepcopy(dict(document))
    for methods in asked["paths"].values():
        for operation in methods.values():
            # Else it would make credentials up, and see little more than 401.
            operation.pop("security")
            operation["parameters"] = [one for one in operation.get("parameters", ()) if one["name"] != WAITING]
    schema = schemathesis.openapi.from_dict(asked)
    with requests.Session() as session:
        session.headers.update(credential)
        return [
            f"{operation.label}, {mode.name}: {problem}"
            for operation in operations(schema)
            for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)
            if (problem := broken_promise(operation, mode, url_of(operation.path), session))
        ]


def operations(schema: BaseSchema) -> Iterator[Operation]:
    for found in schema.get_all_operations():
        assert isinstance(found, Ok), found
        yield found.ok()


def broken_promise(operation: Operation, mode: GenerationMode, base_url: str, session: requests.Session) -> str:
    """Why the operation is broken; empty when it is not."""

    @settings(
        max_examples=EXAMPLES,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],
    )
    @given(case=operation.as_strategy(generation_mode=mode))
    def ask(case: schemathesis.Case[Any]) -> None:
        answer = case.call(base_url=base_url, session=session, timeout=90)
        case.validate_response(answer, checks=CHECKS)

    try:
        ask()
    except Unsatisfiable:
        return ""  # there is nothing that it could forbid
    except FailureGroup as problem:  # no Exception
        return "; ".join(str(one) for one in problem.exceptions)
    except Exception as problem:  # noqa: BLE001 - all that is broken is told at once
        return str(problem)
    return ""
