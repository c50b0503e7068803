"""Tool calls that wait for a person: listed, found by the beginning of an id, decided."""

from typing import Literal
from uuid import uuid4

from pydantic import JsonValue
from rich.console import Console
from rich.text import Text

from tarsy_cli.api import get, post
from tarsy_cli.errors import CommandError
from tarsy_contracts.api.approvals import ApprovalList, WaitingApproval
from tarsy_local.terminal_text import one_line

LINE = "{:36}  {:32}  {:24}  {}"
NONE = "No tool call awaits approval."
MOST_SHOWN = 10
MOST_CHARACTERS = 400


class UnclearCallError(CommandError):
    """No call, or more than one, is meant. The operator names one."""


def read_approvals(api: str) -> ApprovalList:
    """Raises ApiError or ValidationError."""
    return ApprovalList.model_validate(get(f"{api}/approvals"))


def read_approvals_of(api: str, session_id: str) -> ApprovalList:
    """Raises ApiError or ValidationError."""
    return ApprovalList.model_validate(get(f"{api}/sessions/{session_id}/approvals"))


def print_approvals(api: str, console: Console) -> None:
    """Raises ApiError or ValidationError."""
    found = read_approvals(api)
    if not found.approvals:
        console.print(NONE, markup=False)
        return
    console.print(Text(LINE.format("session", "tool", "until", "call"), style="bold"))
    for one in found.approvals:
        console.print(Text(_approval_line(one)))
        arguments = ", ".join(f"{key}={value}" for key, value in one.arguments.items())
        console.print(Text(f"  {one_line(arguments)}  {one_line(one.reason)}".rstrip(), style="dim"))
        if one.dry_run_status is not None:
            tried = one_line(one.dry_run or "") if one.dry_run_status != "streaming" else "it has not ended yet"
            console.print(Text(f"  dry run: {tried}"[:MOST_CHARACTERS], style="dim"))
    if (more := found.total_items - len(found.approvals)) > 0:
        console.print(f"and {more} more", markup=False)


def decide(api: str, session_id: str, call: str, decision: Literal["approve", "deny"], comment: str) -> str:
    """Returns the owner's answer. Raises ApiError, ValidationError or UnclearCallError."""
    call_id = _find_whole_call_id(api, session_id, call)
    body: JsonValue = {"decision": decision, "comment": comment}
    url = f"{api}/sessions/{session_id}/approvals/{call_id}"
    return f"{call_id}: {post(url, body, idempotency_key=str(uuid4())).get('message', '')}"


def _find_whole_call_id(api: str, session_id: str, given: str) -> str:
    """A call that does not wait (any more) is named as it was given: its owner says what became of it."""
    waiting = read_approvals_of(api, session_id).approvals
    found = [one for one in waiting if one.call_id.startswith(given)]
    match found:
        case [one]:
            return one.call_id
        case []:
            if given:
                return given
            raise UnclearCallError(f"No tool call of the session {session_id} awaits approval.")
        case _:
            lines = [f"  {one.call_id}  {one.server_name}.{one.tool_name}" for one in found[:MOST_SHOWN]]
            raise UnclearCallError("\n".join(["More than one call waits. Name one of them:", *map(one_line, lines)]))


def _approval_line(one: WaitingApproval) -> str:
    tool = one_line(f"{one.server_name}.{one.tool_name}")
    return LINE.format(one_line(one.session_id), tool, one_line(one.expires_at), one_line(one.call_id))
