"""`tarsy approvals`, `approve` and `deny`: calls are listed, found by the beginning of an id, and decided once."""

import io

import pytest
from pydantic import JsonValue
from rich.console import Console

from tarsy_cli.api import ApiAnswer
from tarsy_cli.lists import approvals as listing
from tarsy_cli.lists.approvals import UnclearCallError, decide, print_approvals
from tarsy_contracts.api.approvals import ApprovalList, WaitingApproval

SESSION = "5c10dd68-3c2e-5c1a-9d55-0f7c4a1c2b3d"


def waiting(call_id: str) -> WaitingApproval:
    return WaitingApproval(
        session_id=SESSION, call_id=call_id, session_title="Crash", agent_name="A", server_name="kubernetes",
        tool_name="pods\x1b[2J_delete", arguments={"name": "api-7"}, reason="It\nhangs.", role="responder",
        on_timeout="deny", requested_at="2026-11-24T19:00:00.000Z", expires_at="2026-11-24T19:30:00.000Z",
    )  # fmt: skip


def answering(monkeypatch: pytest.MonkeyPatch, *calls: WaitingApproval) -> list[tuple[str, JsonValue]]:
    """What is posted."""
    posted: list[tuple[str, JsonValue]] = []

    def get(url: str) -> ApiAnswer:
        return ApprovalList(approvals=calls, total_items=len(calls)).model_dump(mode="json")

    def post(url: str, body: JsonValue, *, idempotency_key: str) -> ApiAnswer:
        posted.append((url, body))
        return {"message": "The call is approved."}

    monkeypatch.setattr(listing, "get", get)
    monkeypatch.setattr(listing, "post", post)
    return posted


def shown(monkeypatch: pytest.MonkeyPatch, *calls: WaitingApproval) -> str:
    answering(monkeypatch, *calls)
    out = io.StringIO()
    print_approvals("", Console(file=out, color_system=None, soft_wrap=True))
    return out.getvalue()


def test_each_call_that_waits_is_shown_with_its_arguments_and_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    heading, line, about = shown(monkeypatch, waiting("c1")).splitlines()
    assert heading.split() == ["session", "tool", "until", "call"]
    assert line.startswith(SESSION)
    assert line.endswith("2026-11-24T19:30:00.000Z  c1")
    assert about.split() == ["name=api-7", "It", "hangs."]
    assert "\x1b" not in line
    assert shown(monkeypatch).strip() == "No tool call awaits approval."


@pytest.mark.parametrize("given", ["", "c1", "c1-whole"])
def test_the_call_that_waits_is_found_by_the_beginning_of_its_id(monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    posted = answering(monkeypatch, waiting("c1-whole"))
    assert decide("http://t", SESSION, given, "approve", "go on") == "c1-whole: The call is approved."
    body = {"decision": "approve", "comment": "go on"}
    assert posted == [(f"http://t/sessions/{SESSION}/approvals/c1-whole", body)]


def test_of_several_calls_one_has_to_be_named(monkeypatch: pytest.MonkeyPatch) -> None:
    posted = answering(monkeypatch, waiting("c1"), waiting("c2"))
    with pytest.raises(UnclearCallError, match="More than one call waits"):
        decide("", SESSION, "", "approve", "")
    assert posted == []
    decide("", SESSION, "c2", "deny", "")
    assert [url for url, _ in posted] == [f"/sessions/{SESSION}/approvals/c2"]


def test_where_none_waits_the_owner_is_asked_about_the_call_that_was_named(monkeypatch: pytest.MonkeyPatch) -> None:
    posted = answering(monkeypatch)
    with pytest.raises(UnclearCallError, match="No tool call of the session"):
        decide("", SESSION, "", "approve", "")
    decide("", SESSION, "c9", "approve", "")
    assert len(posted) == 1
