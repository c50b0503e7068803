"""Which failures mean that a server is down, and which that somebody has to change the configuration."""

import errno
import socket
import ssl

import httpx2
import pytest
from mcp import MCPError
from pydantic import TypeAdapter, ValidationError

from tarsy_tool_gateway.mcp.diagnosis import MisconfiguredError, diagnose
from tarsy_tool_gateway.mcp.gateway_errors import gateway_error

REQUEST = httpx2.Request("GET", "https://h/sse")


def refused(status: int) -> MCPError:
    error = gateway_error("refused", f"it answered HTTP {status}", status=status)
    return MCPError(error["code"], error["message"], error["data"])


def failed(status: int) -> MCPError:
    error = gateway_error("server_failed", f"it answered HTTP {status}", status=status)
    return MCPError(error["code"], error["message"], error["data"])


def status_error(status: int) -> httpx2.HTTPStatusError:
    return httpx2.HTTPStatusError("no", request=REQUEST, response=httpx2.Response(status, request=REQUEST))


def tls_error(problem: ssl.SSLError) -> httpx2.ConnectError:
    error = httpx2.ConnectError("tls")
    error.__cause__ = problem
    return error


def not_mcp() -> ValidationError:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(int).validate_python("password: hunter2")
    return caught.value


WRONG = [
    MisconfiguredError("ca_file /x holds no certificate"),
    refused(401),
    refused(403),
    refused(404),
    refused(405),
    refused(307),
    status_error(401),
    status_error(404),
    tls_error(ssl.SSLCertVerificationError("certificate verify failed")),
    tls_error(ssl.SSLError("[SSL: WRONG_VERSION_NUMBER] wrong version number")),
    httpx2.InvalidURL("no such address"),
    httpx2.UnsupportedProtocol("no such scheme"),
    UnicodeError("label empty or too long"),
    FileNotFoundError(errno.ENOENT, "No such file or directory"),
    PermissionError(errno.EACCES, "Permission denied"),
    OSError(errno.ENOEXEC, "Exec format error"),
    MCPError(-32601, "Method not found"),
    MCPError(-32600, "Unexpected content type: text/html"),
    MCPError(-32022, "Unsupported protocol version", {"supported": ["2099-01-01"]}),
    RuntimeError("Unsupported protocol version from the server: 1999-01-01"),
    not_mcp(),
]
DOWN = [
    TimeoutError(),
    httpx2.ConnectError("All connection attempts failed"),
    httpx2.ConnectTimeout("too slow"),
    httpx2.ReadError("reset"),
    httpx2.RemoteProtocolError("it hung up"),
    tls_error(ssl.SSLError("[SSL: TLSV1_ALERT_INTERNAL_ERROR] internal error")),
    socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution"),
    ConnectionRefusedError(errno.ECONNREFUSED, "Connection refused"),
    OSError(errno.EMFILE, "Too many open files"),
    refused(408),
    refused(429),
    failed(500),
    failed(503),
    status_error(429),
    status_error(502),
    MCPError(-32000, "Connection closed"),
    MCPError(-32603, "Internal error"),
    MCPError(-31002, "a server's own error that only has the number of ours"),
    RuntimeError("something else"),
    ValueError("it lists more than 1000 tools"),
]


def name(problem: Exception) -> str:
    return f"{type(problem).__name__}: {problem}"[:60]


@pytest.mark.parametrize("problem", WRONG, ids=name)
def test_no_repetition_helps_where_the_configuration_is_wrong(problem: Exception) -> None:
    assert diagnose(problem).misconfigured


@pytest.mark.parametrize("problem", DOWN, ids=name)
def test_a_server_that_is_merely_down_may_come_back(problem: Exception) -> None:
    assert not diagnose(problem).misconfigured


def test_what_is_wrong_is_found_in_a_group_among_what_followed_from_it() -> None:
    group = ExceptionGroup("", [httpx2.ReadError("closed"), ExceptionGroup("", [MisconfiguredError("no such file")])])
    verdict = diagnose(group)
    assert (verdict.misconfigured, verdict.reason) == (True, "no such file")


def test_the_reason_is_a_sentence_without_what_the_server_said() -> None:
    assert diagnose(TimeoutError()).reason == "it did not answer in time"
    assert diagnose(ExceptionGroup("", [OSError("no route")])).reason == "OSError: no route"
    assert "hunter2" not in diagnose(not_mcp()).reason
