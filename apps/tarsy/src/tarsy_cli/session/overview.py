"""`tarsy show`: a session as it stands."""

from collections.abc import Iterator
from datetime import datetime

from rich.console import Console
from rich.markdown import Markdown
from rich.rule import Rule
from rich.text import Text

from tarsy_cli.console.units import describe_cost, format_count
from tarsy_cli.lists.nested_agents import nest_agents, shorten_task
from tarsy_contracts.api.sessions import SessionDetail, SessionStage, StageExecution
from tarsy_contracts.citations import list_cited_sources
from tarsy_contracts.native_calls import describe_source
from tarsy_local.terminal_text import one_line, printable

STYLES = {"completed": "green", "failed": "red", "timed_out": "red", "cancelled": "yellow"}
ALERT_LINES = 20


def print_overview(session: SessionDetail, console: Console) -> None:
    heading = " · ".join(one_line(text) for text in (session.title, session.severity, session.source) if text)
    console.print(Text(heading or one_line(session.alert_type), style="bold"))
    console.print(Text(f"session {session.id}"))
    console.print(Text(_status(session), style=_style(session)))
    for limit in session.evidence_limits:
        console.print(Text(f"limited evidence: {one_line(limit)}", style="yellow"))
    for line in (*_figures(session), *_stages(session)):
        console.print(Text(line))
    _print_alert(session, console)
    for title, text in (("final analysis", session.final_analysis), ("executive summary", session.executive_summary)):
        if text:
            console.print(Rule(title, style="green"))
            console.print(Markdown(printable(text), hyperlinks=False), soft_wrap=False)
    _print_sources(session, console)


def _print_sources(session: SessionDetail, console: Console) -> None:
    """The web pages that its texts cite."""
    cited = set(list_cited_sources(f"{session.final_analysis or ''}\n{session.executive_summary or ''}"))
    sources = [source for source in session.sources if source.number in cited]
    if sources:
        console.print(Rule("sources", style="green"))
    for source in sources:
        console.print(Text(one_line(describe_source(source))))


def _style(session: SessionDetail) -> str:
    less_than_whole = session.partial_reason or session.evidence_limits
    return "yellow" if less_than_whole else STYLES.get(session.status, "default")


def _status(session: SessionDetail) -> str:
    waits = f", number {session.queue_position} in the queue" if session.queue_position is not None else ""
    why = f": {one_line(session.error_message)}" if session.error_message else ""
    return f"{session.status}{_partial(session)}{waits}{why}"


def _figures(session: SessionDetail) -> Iterator[str]:
    began = f"{datetime.fromisoformat(session.created_at).astimezone():%Y-%m-%d %H:%M:%S}"
    took = f", {_seconds(session.duration_ms)}" if session.duration_ms is not None else ""
    yield f"began {began}{took}, chain {one_line(session.chain_id)}{', scripted' if session.scripted else ''}"
    if session.session_labels:
        yield f"labels: {', '.join(map(one_line, session.session_labels))}"
    if session.chain_chosen_by:
        yield f"chosen by: {one_line(session.chain_chosen_by)}"
    yield (
        f"{format_count(session.llm_interaction_count, 'question')} to models, "
        f"{format_count(session.mcp_interaction_count, 'tool call')}, {format_count(session.input_tokens, 'token')} in "
        f"({session.cached_input_tokens:,} from caches), {session.output_tokens:,} out"
    )
    if cost := _cost(session):
        yield cost
    if session.repeat_count and session.last_alert_at is not None:
        last = datetime.fromisoformat(session.last_alert_at).astimezone()
        yield f"its alert came again {format_count(session.repeat_count, 'time')}, the last on {last:%Y-%m-%d %H:%M:%S}"
    if session.parent_id is not None:
        yield f"re-run of {one_line(session.parent_id)}"
    if session.reruns:
        yield f"re-run as {', '.join(map(one_line, session.reruns))}"
    if session.details_deleted_at is not None:
        gone = datetime.fromisoformat(session.details_deleted_at).astimezone()
        yield f"its timeline was deleted on {gone:%Y-%m-%d}, to make room"
    if session.chat_message_count:
        asked = format_count(session.chat_message_count, "question")
        yield f"{asked} asked by people: `tarsy chat {session.id}` shows them"


def _cost(session: SessionDetail) -> str:
    """Nothing while no model was used. Calls without a price are said, and never counted as zero."""
    if session.cost is None:
        return "cost not known: its models have no price" if session.total_tokens else ""
    unpriced = session.unpriced_interaction_count
    least = "at least " if session.cost_completeness == "partial" else ""
    rest = f", without {format_count(unpriced, 'answer')} of models that have no price" if unpriced else ""
    return f"cost {least}${session.cost:,.4f}{rest}"


def _stages(session: SessionDetail) -> Iterator[str]:
    for stage in session.stages:
        yield f"  {one_line(stage.stage_name)}: {_outcome(stage)}"
        for depth, agent in nest_agents(stage.executions):
            model = f" ({one_line(agent.model_name)})" if agent.model_name else ""
            turns = format_count(agent.iterations, "iteration")
            task = f", sent for: {shorten_task(agent.task)}" if agent.task else ""
            cost = f", {words}" if (words := describe_cost(agent)) else ""
            yield f"    {'  ' * depth}{one_line(agent.agent_name)}{model}: {_outcome(agent)}, {turns}{cost}{task}"


def _outcome(step: SessionStage | StageExecution) -> str:
    took = f", {_seconds(step.duration_ms)}" if step.duration_ms is not None else ""
    why = f" ({one_line(step.error_message)})" if step.error_message else ""
    partial = _partial(step) if isinstance(step, StageExecution) else ""
    return f"{step.status}{partial}{why}{took}"


def _partial(step: SessionDetail | StageExecution) -> str:
    return f" with a partial analysis ({one_line(step.partial_reason)})" if step.partial_reason else ""


def _print_alert(session: SessionDetail, console: Console) -> None:
    lines = printable(session.alert_data).splitlines()
    console.print(Rule("alert", style="green"))
    console.print(Text("\n".join(lines[:ALERT_LINES])))
    if (more := len(lines) - ALERT_LINES) > 0:
        console.print(
            Text(f"… {format_count(more, 'more line')}: `tarsy show {session.id} --json` has all", style="dim")
        )


def _seconds(milliseconds: int) -> str:
    seconds = milliseconds / 1000
    return f"{seconds:.1f} s" if seconds < 60 else f"{int(seconds // 60)} min {int(seconds % 60)} s"
