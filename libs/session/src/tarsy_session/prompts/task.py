"""Task of an agent: the first message, with its sources and what is to be done. Pure."""

from collections.abc import Sequence
from string import Template

from tarsy_contracts.alert import Alert
from tarsy_contracts.chain import LabelRule
from tarsy_session.prompts.histories import HISTORIES_LIMIT, compose_histories
from tarsy_session.prompts.material import AgentHistory, AskedNow, Investigated, Runbook, StageFinding
from tarsy_session.prompts.pieces import NAME_LIMIT
from tarsy_session.prompts.sources import compose_alert, compose_findings, compose_runbook
from tarsy_session.prompts.transcript import compose_transcript
from tarsy_session.text import fence, remove_marks, render_time, to_one_line

CONFIDENCE = """\
Last, a line of its own: `Confidence: high`, `Confidence: medium` or `Confidence: low`, and after a dash the reason in
one sentence. High: results show the cause, and you looked for what would disprove it. Medium: results fit the cause,
and another one is not ruled out. Low: the cause is supposed."""

INVESTIGATE = f"""\
## Your task

Find out why this alert fires. End with an analysis that says:

1. **Cause**: the root cause and which evidence carries it; or the causes that remain, and what would tell them apart.
2. **State**: what is affected now, since when, and whether it gets worse.
3. **What to do now**: steps in their order, each exact enough to be carried out, with its risk where it has one.
4. **What keeps it from coming back.**
5. **Open**: what you could not see or check.

{CONFIDENCE}"""

JOIN = f"""\
## Your task

Make one analysis of these investigations. It says:

1. **Cause**: the root cause and which evidence carries it, with the agent and the step that found it.
2. **Agreement and contradiction**: what they found by different ways, where they differ, and how you
   decided and why.
3. **State**: what is affected now, since when, and whether it gets worse.
4. **What to do now**: steps in their order, each with its risk where it has one.
5. **What keeps it from coming back.**
6. **Open**: what rests on weak evidence, and what nobody could see or check.

{CONFIDENCE}"""

TOGETHER = Template("""\
## The investigations of stage "$stage"

Agents that worked on it: $count. Of each you see its analysis, where it has one, and then, step by step, what it
thought and wrote, what it called and what came back.

$investigations""")

ANALYSIS = Template("""\
## The analysis

$analysis""")

SHORTEN = """\
## Your task

Write the summary of this analysis for the person on call: one to four lines, and nothing else."""
SHORTEN_ONLY = """\
## Your task

Write the summary of this analysis for the person on call: one to four lines."""

CHOOSE_LABELS = Template("""\
After it, on a last line of its own, label what was found: `LABELS: ` and $how of these labels, in exactly these words:

$labels$instructions""")

ASKED_OF_RUN = Template("""\
## The question of this run

The alert was investigated before. $author has it investigated again, and asks:

$question

Answer it in your analysis.""")

QUESTION = Template("""\
## The question

It is $now now.$firing $author asks:

$question""")

READ_AGAIN = Template("""\
Results that were left out, cut or summarised can be read with $tool: it takes the id of the result.""")


def compose_prompt(
    alert: Alert, runbook: Runbook, findings: Sequence[StageFinding], *, firing: str = "", lessons: str = ""
) -> str:
    """`firing`, here and below: whether the alert still fires, where somebody knows. `lessons`: of earlier ones."""
    sources = (compose_alert(alert), firing, compose_runbook(runbook), lessons, compose_findings(findings))
    return join_parts(*sources, _asked_of_run(alert), INVESTIGATE)


def compose_synthesis_prompt(
    alert: Alert,
    runbook: Runbook,
    stage: str,
    histories: Sequence[AgentHistory],
    *,
    firing: str = "",
    limit: int = HISTORIES_LIMIT,
) -> str:
    """`limit`: characters of all histories together."""
    investigations = compose_histories(histories, limit)
    together = TOGETHER.substitute(stage=stage, count=len(histories), investigations=investigations)
    return join_parts(compose_alert(alert), firing, compose_runbook(runbook), together, _asked_of_run(alert), JOIN)


def compose_executive_summary_prompt(
    alert: Alert, analysis: str, *, firing: str = "", labels: LabelRule | None = None
) -> str:
    shown = ANALYSIS.substitute(analysis=fence("ANALYSIS", analysis))
    if labels is None:
        return join_parts(compose_alert(alert), firing, shown, SHORTEN)
    return join_parts(compose_alert(alert), firing, shown, SHORTEN_ONLY, _choose_labels(labels))


def _choose_labels(rule: LabelRule) -> str:
    lines = (f"- {one.label}: {one.description}" if one.description else f"- {one.label}" for one in rule.labels)
    return CHOOSE_LABELS.substitute(
        how="all that fit, with a comma between them," if rule.multi else "the one that fits best",
        labels="\n".join(lines),
        instructions=f"\n\n{rule.instructions}" if rule.instructions else "",
    )


def compose_question_prompt(
    alert: Alert, runbook: Runbook, investigated: Investigated, current: AskedNow, *, limit: int, read_result: str
) -> str:
    """`limit`: characters of all but the question. `read_result`: the name of that tool, if it is offered.

    Constant text comes before text that changes: providers cache the beginning of a conversation.
    """
    alert_text, runbook_text = compose_alert(alert), compose_runbook(runbook)
    shortest = limit // 2
    transcript = compose_transcript(investigated, max(limit - len(alert_text) - len(runbook_text), shortest))
    question = QUESTION.substitute(
        now=render_time(current.at),
        firing=f" {current.firing}" if current.firing else "",
        author=to_one_line(current.author, NAME_LIMIT),
        question=remove_marks(current.question),
    )
    read_again = READ_AGAIN.substitute(tool=read_result) if read_result else ""
    return join_parts(alert_text, runbook_text, transcript, read_again, question)


def _asked_of_run(alert: Alert) -> str:
    if alert.rerun is None or not alert.rerun.question:
        return ""
    author, question = to_one_line(alert.author, NAME_LIMIT), remove_marks(alert.rerun.question)
    return ASKED_OF_RUN.substitute(author=author, question=question)


def join_parts(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part)
