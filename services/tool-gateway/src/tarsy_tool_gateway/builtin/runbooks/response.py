"""Response of a runbook's server, as text or as a sentence that says why there is none."""

from http import HTTPStatus

import httpx2

from tarsy_contracts.runbook_urls import RunbookUrl
from tarsy_tool_gateway.builtin.runbooks.github import is_github
from tarsy_tool_gateway.builtin.runbooks.rules import RunbookRules
from tarsy_tool_gateway.tool_servers import ToolOutput

HTML = ("text/html", "application/xhtml+xml")
HTML_BEGINS = ("<!doctype html", "<html")
TEXTUAL = ("json", "yaml", "xml", "markdown", "toml", "asciidoc")
UNSAID = ("", "application/octet-stream", "binary/octet-stream")
"""Many servers say no more of a text file."""


async def read_answer(response: httpx2.Response, url: RunbookUrl, rules: RunbookRules) -> ToolOutput:
    if not 200 <= response.status_code < 300:
        return _describe_refusal(response.status_code, url, rules)
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind in HTML:
        return _describe_web_page(url)
    if not _may_be_text(kind) or response.headers.get("content-encoding", "identity").lower() != "identity":
        return ToolOutput("tool_error", f"What {url.host} sent is not text, and so no runbook.")
    content = await _read_at_most(response, rules.most_bytes)
    if content is None:
        return ToolOutput(
            "tool_error",
            f"The runbook is larger than {rules.most_bytes} bytes: link to a shorter text, or raise "
            "system.runbooks.max_bytes.",
        )
    return _decode_runbook(content, url)


def _decode_runbook(content: bytes, url: RunbookUrl) -> ToolOutput:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return ToolOutput("tool_error", f"What {url.host} sent is not UTF-8 text, and so no runbook.")
    if "\0" in text:
        return ToolOutput("tool_error", f"What {url.host} sent is not text, and so no runbook.")
    if not text.strip():
        return ToolOutput("tool_error", "The runbook is empty.")
    if text.lstrip()[:20].lower().startswith(HTML_BEGINS):
        return _describe_web_page(url)
    return ToolOutput("ok", text)


def _describe_web_page(url: RunbookUrl) -> ToolOutput:
    return ToolOutput(
        "tool_error",
        f"What {url.host} sent is a web page (HTML), not the text of a runbook: link to the raw file (on GitHub: the "
        "address of the file's page, or what its button Raw opens).",
    )


def _may_be_text(kind: str) -> bool:
    return kind in UNSAID or kind.startswith("text/") or kind.endswith(TEXTUAL)


async def _read_at_most(response: httpx2.Response, most: int) -> bytes | None:
    """None as soon as it is clear that it is more. A part is no use: half a secret at its end would not be masked."""
    found = bytearray()
    async for chunk in response.aiter_raw():
        found += chunk
        if len(found) > most:
            return None
    return bytes(found)


def _describe_refusal(status: int, url: RunbookUrl, rules: RunbookRules) -> ToolOutput:
    status_text = f"HTTP {status}"
    hint = f" {_token_hint(rules)}" if is_github(url) else ""
    match status:
        case HTTPStatus.NOT_FOUND | HTTPStatus.GONE:
            return ToolOutput("tool_error", f"{url.host} has no such runbook ({status_text}).{hint}")
        case HTTPStatus.UNAUTHORIZED | HTTPStatus.FORBIDDEN:
            return ToolOutput("tool_error", f"{url.host} does not let TARSy read the runbook ({status_text}).{hint}")
        case HTTPStatus.TOO_MANY_REQUESTS:
            return ToolOutput("unavailable", f"{url.host} has been asked too often ({status_text}).{hint}")
        case _ if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            return ToolOutput(
                "unavailable", f"{url.host} has a problem of its own ({status_text}): the link may still be right."
            )
        case _:
            return ToolOutput("tool_error", f"{url.host} did not send the runbook ({status_text}).")


def _token_hint(rules: RunbookRules) -> str:
    if rules.token is None:
        return f"Private repositories need a token: set {rules.token_name} in the environment of the tool gateway."
    return f"In a private repository: the token in {rules.token_name} has to be valid, and allowed to read it."
