"""Diagnosis of an MCP server that cannot be reached: down, which passes by itself, or misconfigured."""

import errno
import ssl
from collections.abc import Iterator
from dataclasses import dataclass

import httpx2
from mcp import MCPError
from mcp_types import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    UNSUPPORTED_PROTOCOL_VERSION,
)
from pydantic import ValidationError

from tarsy_config.sections.oauth_client import SCOPE
from tarsy_tool_gateway.errors import ToolGatewayError
from tarsy_tool_gateway.mcp.failures import is_gateway_error
from tarsy_tool_gateway.mcp.tool_listing import ListingRefusedError

PASSING_STATUSES = frozenset({408, 425, 429})
NO_SUCH_PROTOCOL = frozenset(
    {PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, UNSUPPORTED_PROTOCOL_VERSION}
)
"""A server that speaks another protocol, or none, answers a handshake in the same way."""
NOT_TO_BE_STARTED = frozenset({errno.ENOENT, errno.EACCES, errno.ENOEXEC, errno.ENOTDIR, errno.EISDIR, errno.EPERM})
NO_ADDRESS = (httpx2.InvalidURL, httpx2.UnsupportedProtocol, httpx2.LocalProtocolError, UnicodeError)
NO_TLS = ("WRONG_VERSION_NUMBER", "HTTP_REQUEST", "RECORD_LAYER_FAILURE")
"""OpenSSL's words for somebody who does not speak TLS at all."""


class MisconfiguredError(ToolGatewayError):
    """The operator must correct a mistake, which the message names: no repetition will help."""


class LoginNeededError(ToolGatewayError):
    """The operator has a person log in, once, with the command that the message names."""


def make_login_error(server: str, why: str, *, scope: str = "") -> LoginNeededError:
    """`scope`: as a server asks for it."""
    wanted = f" --scope '{scope}'" if SCOPE.fullmatch(scope) and "'" not in scope else ""
    return LoginNeededError(f"{why}: run `tarsy servers login {server}{wanted}`")


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """`reason` is neither masked nor cut yet. `login_needed`: a person has to log in, and nothing is wrong.

    `refused`: we do not take what it lists; the server has to change first.
    """

    misconfigured: bool
    reason: str
    login_needed: bool = False
    refused: bool = False


def diagnose(problem: BaseException) -> Diagnosis:
    """Diagnoses the error that ended an attempt to connect, or to list the tools."""
    leaves = list(_flatten_groups(problem))
    wrong = next((leaf for leaf in leaves if _is_misconfigured(leaf)), None)
    missing = next((leaf for leaf in leaves if _needs_login(leaf)), None)
    if missing is not None:
        message = missing.message if isinstance(missing, MCPError) else str(missing)
        return Diagnosis(misconfigured=False, reason=message, login_needed=True)
    refused = next((leaf for leaf in leaves if _is_refused(leaf)), None)
    return Diagnosis(
        wrong is not None, _message_of(wrong or refused or leaves[0]), refused=wrong is None and refused is not None
    )


def _is_refused(problem: BaseException) -> bool:
    if isinstance(problem, MCPError):
        data = problem.error.data
        return is_gateway_error(data) and data["tarsy"] == "unreadable"
    return isinstance(problem, ListingRefusedError)


def _needs_login(problem: BaseException) -> bool:
    if isinstance(problem, MCPError):
        data = problem.error.data
        return is_gateway_error(data) and data["tarsy"] == "login_needed"
    return isinstance(problem, LoginNeededError)


def _flatten_groups(problem: BaseException) -> Iterator[BaseException]:
    if isinstance(problem, BaseExceptionGroup):
        for inner in problem.exceptions:
            yield from _flatten_groups(inner)
    else:
        yield problem


def _is_misconfigured(problem: BaseException) -> bool:
    match problem:
        case MisconfiguredError() | ValidationError():
            return True
        case MCPError():
            return _is_final(problem)
        case httpx2.HTTPStatusError():
            return _is_lasting_denial(problem.response.status_code)
        case RuntimeError():
            # All that the SDK says of a handshake that came to no version in common.
            return "protocol version" in str(problem)
        case httpx2.ConnectError():
            return any(_is_wrong_tls(cause) for cause in _walk_causes(problem))
        case OSError():
            return problem.errno in NOT_TO_BE_STARTED
        case _:
            return isinstance(problem, NO_ADDRESS)


def _is_lasting_denial(status: int) -> bool:
    """Whether the answer will be the same tomorrow. A redirect that leads elsewhere is not followed."""
    return 300 <= status < 500 and status not in PASSING_STATUSES


def _is_final(problem: MCPError) -> bool:
    data = problem.error.data
    if is_gateway_error(data):
        return data["tarsy"] == "refused" and _is_lasting_denial(data.get("status", 0))
    return problem.code in NO_SUCH_PROTOCOL


def _is_wrong_tls(cause: BaseException) -> bool:
    if isinstance(cause, ssl.SSLCertVerificationError):
        return True
    return isinstance(cause, ssl.SSLError) and any(word in str(cause) for word in NO_TLS)


def _walk_causes(problem: BaseException) -> Iterator[BaseException]:
    cause: BaseException | None = problem
    while cause is not None:
        yield cause
        cause = cause.__cause__ or cause.__context__


def _message_of(problem: BaseException) -> str:
    match problem:
        case MCPError() if _is_refused(problem):
            return problem.message
        case TimeoutError():
            return "it did not answer in time"
        case MisconfiguredError() | ListingRefusedError():
            return str(problem)
        case ValidationError():
            # pydantic's own words hold what the server said.
            return f"it answers what is not MCP ({problem.error_count()} places do not fit {problem.title})"
        case _:
            return f"{type(problem).__name__}: {problem}"
