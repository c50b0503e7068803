"""The question of `tarsy watch` about a call that waits, at a terminal of its own."""

import asyncio
import os
import sys
from collections.abc import Iterator, Sequence
from io import StringIO
from typing import Any, TextIO

import pytest
from rich.console import Console

from tarsy_cli.watch import approval_prompt
from tarsy_cli.watch.approval_prompt import ApprovalPrompt
from tarsy_contracts.api.approvals import ApprovalList, WaitingApproval

WAITING = WaitingApproval.model_validate(
    {
        "session_id": "s", "call_id": "c", "session_title": "t", "agent_name": "a", "server_name": "k",
        "tool_name": "helm_rollback", "arguments": {}, "reason": "", "role": "responder", "on_timeout": "deny",
        "requested_at": "2026-11-29T22:00:00.000Z", "expires_at": "2026-11-29T22:30:00.000Z", "dry_run": "- 40",
        "dry_run_status": "completed",
    }
)  # fmt: skip
UNTRIED = WAITING.model_copy(update={"dry_run": None, "dry_run_status": "streaming"})


class Owner:
    """`looks`: what waits, look by look; the last one stays."""

    def __init__(self, *looks: Sequence[WaitingApproval]) -> None:
        self.decisions: list[str] = []
        self._looks = list(looks)

    def list(self, api: str, session: str) -> ApprovalList:
        found = self._looks.pop(0) if len(self._looks) > 1 else self._looks[0]
        return ApprovalList(approvals=tuple(found), total_items=len(found))

    def decide(self, api: str, session: str, call: str, decision: str, comment: str) -> str:
        self.decisions.append(decision)
        return "decided"


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[TextIO]:
    """What is written here is typed."""
    typing, typed = os.openpty()
    with os.fdopen(typing, "w") as keys, os.fdopen(typed, "r") as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        monkeypatch.setattr(approval_prompt, "LOOK_SECONDS", 0.02)
        yield keys


def look(owner: Owner, monkeypatch: pytest.MonkeyPatch, *, yes: bool = False, times: int = 1) -> str:
    monkeypatch.setattr(approval_prompt, "read_approvals_of", owner.list)
    monkeypatch.setattr(approval_prompt, "decide", owner.decide)
    shown = StringIO()
    prompt = ApprovalPrompt("api", "s", Console(file=shown), yes=yes)

    async def run() -> None:
        for _ in range(times):
            await prompt.look()

    asyncio.run(run())
    return shown.getvalue()


@pytest.mark.parametrize(
    ("typed", "decision"), [("y", "approve"), ("Yes", "approve"), ("n", "deny"), ("\nwhat?\nno", "deny")]
)
def test_only_yes_or_no_decides(terminal: TextIO, monkeypatch: pytest.MonkeyPatch, typed: str, decision: str) -> None:
    terminal.write(f"{typed}\n")
    terminal.flush()
    owner = Owner([WAITING])
    shown = look(owner, monkeypatch)
    assert "dry run of helm_rollback:\n- 40" in shown
    assert owner.decisions == [decision]


def test_who_is_asked_is_told_when_somebody_else_has_decided(terminal: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    owner = Owner([WAITING], [])
    assert "somebody else decided it" in look(owner, monkeypatch)
    assert owner.decisions == []


def test_nobody_is_asked_before_the_dry_run_has_ended_and_nobody_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    owner = Owner([UNTRIED], [WAITING])
    look(owner, monkeypatch, yes=True, times=3)
    assert owner.decisions == ["approve"]


def test_without_a_terminal_the_call_is_left_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", StringIO())
    owner = Owner([WAITING])
    look(owner, monkeypatch)
    assert owner.decisions == []
