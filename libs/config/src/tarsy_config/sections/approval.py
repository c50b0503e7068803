"""`allow`, `approve` and `approval`: the tools that agents get, and the calls that wait for a person.

| setting    | order                                                                     |
| ---------- | ------------------------------------------------------------------------- |
| `approve`  | `defaults`, server (its word replaces that of `defaults`); a chain adds   |
| `approval` | responder, 30m and deny; `defaults`, chain (each key by itself)           |
"""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from tarsy_config.values import Seconds, Section, wrong
from tarsy_contracts.chain import ApprovalRule, ApprovalTerms, AtTimeout
from tarsy_contracts.tool_patterns import EVERY_TOOL

LONGEST_WAIT_SECONDS = 24 * 3600.0


def patterns(value: object) -> object:
    """A list of names or patterns, or `all`."""
    if value == "all":
        return (EVERY_TOOL,)
    if isinstance(value, str | bool):
        raise wrong("is not a list of tools", "list names or patterns such as pods_*, or write all")
    return value


def names_or_switch(value: object) -> object:
    """`true`, `false`, or a list of names or patterns."""
    return value if isinstance(value, bool) else patterns(value)


type Pattern = Annotated[str, Field(min_length=1, max_length=200)]
type Patterns = Annotated[tuple[Pattern, ...], BeforeValidator(patterns)]
type Approve = Annotated[bool | tuple[Pattern, ...], BeforeValidator(names_or_switch)]
type Approver = Literal["responder", "operator", "admin"]
"""Those who may use the API that decides."""
type Wait = Annotated[Seconds, Field(le=LONGEST_WAIT_SECONDS)]


class ApprovalSettings(Section):
    """`role`: who decides about a call that waits. After `timeout` it is denied, or the session fails."""

    role: Approver | None = None
    timeout: Wait | None = None
    on_timeout: AtTimeout | None = None


def rule_of(*given: Approve | None) -> ApprovalRule:
    """The rule of all of them together."""
    named = dict.fromkeys(pattern for one in given if isinstance(one, tuple) for pattern in one)
    return ApprovalRule(changing=any(one is True for one in given), tools=tuple(named))


def terms_of(defaults: ApprovalSettings, chain: ApprovalSettings) -> ApprovalTerms:
    built_in = ApprovalTerms()
    return ApprovalTerms(
        role=chain.role or defaults.role or built_in.role,
        timeout_seconds=chain.timeout or defaults.timeout or built_in.timeout_seconds,
        on_timeout=chain.on_timeout or defaults.on_timeout or built_in.on_timeout,
    )
