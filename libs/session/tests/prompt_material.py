"""What the tests of prompts compose them from."""

import os
import re
import unicodedata
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from tarsy_contracts.alert import Alert
from tarsy_contracts.chain import Controller, ResolvedAgent, ResolvedServer
from tarsy_contracts.conversation import ToolDefinition
from tarsy_contracts.events import OfferedTool
from tarsy_session.prompts.material import AgentHistory, HistoryStep, Runbook, Statement, ToolUse

SNAPSHOTS = Path(__file__).parent / "snapshots"
SUNDAY = datetime(2026, 11, 22, 7, 37, 12, tzinfo=UTC)
NO_RUNBOOK = Runbook(source="none")

ALERT = Alert(
    alert_type="kubernetes",
    title="Checkout answers with 502",
    severity="critical",
    source="alertmanager",
    author="alertmanager",
    data="namespace: shop\ndeployment: checkout\nsummary: 37 % of requests failed in the last 5 minutes",
)
PODS = OfferedTool(
    server="kubernetes",
    tool="pods_list",
    repeatable=True,
    definition=ToolDefinition(
        name="kubernetes__pods_list",
        description="Lists the pods of a namespace.",
        input_schema={"type": "object", "properties": {"namespace": {"type": "string"}}, "required": ["namespace"]},
    ),
)


def agent(*servers: ResolvedServer, controller: Controller = "function_calling", custom: str = "") -> ResolvedAgent:
    return ResolvedAgent(
        name="KubernetesAgent",
        llm_provider="default",
        max_iterations=20,
        servers=servers,
        controller=controller,
        custom_instructions=custom,
    )


def history(name: str, *steps: HistoryStep, analysis: str = "") -> AgentHistory:
    return AgentHistory(agent=name, status="completed", analysis=analysis, error="", steps=steps)


def used(content: str, note: str = "") -> ToolUse:
    return ToolUse(
        server="kubernetes",
        tool="pods_list",
        arguments={"namespace": "shop"},
        outcome="ok",
        content=content,
        note=note,
    )


def said(text: str, thinking: str = "") -> Statement:
    return Statement(thinking=thinking, text=text)


def whole(system: str, prompt: str) -> str:
    """A prompt as the model gets it, for people to read."""
    return f"================ system\n\n{system}\n\n================ user\n\n{prompt}\n"


def is_the_snapshot(name: str, text: str) -> None:
    """Exactly. `TARSY_RENEW_SNAPSHOTS=1` writes what there is now instead; read the difference before you keep it."""
    path = SNAPSHOTS / f"{name}.md"
    if os.environ.get("TARSY_RENEW_SNAPSHOTS") == "1":
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    kept = path.read_text(encoding="utf-8") if path.exists() else ""
    assert text == kept, f"not {path}: if it should be so, renew it with TARSY_RENEW_SNAPSHOTS=1 and read `git diff`"


def marks(text: str) -> tuple[int, int]:
    """How many marks open and close in a text, seen as generously as a model might: look-alikes, blanks, no case.

    Deliberately not the pattern that the fences use.
    """
    signs = "".join(unicodedata.normalize("NFKD", sign) for sign in text if sign == "\n" or not _unseen(sign))
    seen = re.sub("[\u0300-\u036f]", "", signs).replace("⋘", "<<<").replace("⋙", ">>>")
    return len(re.findall("<{3,}", seen)), len(re.findall(">{3,}", seen))


def _unseen(sign: str) -> bool:
    return sign.isspace() or unicodedata.category(sign) in {"Cc", "Cf"}


def outside_of_fences(prompt: str) -> str:
    """What a model reads as ours: the text without what stands between marks, and without the marks."""
    kept: list[str] = []
    name = ""
    for line in prompt.split("\n"):
        if not name and line.startswith("<<<"):
            name = line.removeprefix("<<<")
        elif not name:
            kept.append(line)
        elif line == f"{name}>>>":
            name = ""
    assert not name, f"the fence {name} is never closed"
    return "\n".join(kept)


def fences(prompt: str) -> Sequence[str]:
    """The names of the fences, in their order."""
    return re.findall(r"^<<<(.*)$", prompt, re.MULTILINE)
