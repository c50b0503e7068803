"""Problem details (RFC 9457): how every HTTP error is answered, as application/problem+json."""

from typing import Literal

from pydantic import ConfigDict, Field

from tarsy_contracts.api.model import ApiModel


class ProblemField(ApiModel):
    detail: str
    pointer: str = Field(description="a JSON pointer to the field; empty for all")


class ProblemDetails(ApiModel):
    """Problem details of an HTTP error (RFC 9457). `message` repeats `detail`, for clients of Go TARSy."""

    model_config = ConfigDict(json_schema_serialization_defaults_required=False)

    type: Literal["about:blank"]
    title: str
    status: int
    detail: str
    message: str = ""
    errors: tuple[ProblemField, ...] = Field(
        (), description="the mistakes in a request, one by one; left out without any"
    )
