"""A session on a terminal. Content from outside is printed as text, never as markup or control characters."""

from pydantic import JsonValue
from rich.console import Console
from rich.control import Control
from rich.markdown import Markdown
from rich.rule import Rule
from rich.segment import ControlType
from rich.text import Text

from tarsy_cli.console.units import format_count, format_size
from tarsy_cli.watch.text_flow import TextFlow
from tarsy_contracts.citations import cite
from tarsy_local.terminal_text import one_line, printable

FOLDED_LINES = 12
SHORTEST_ID = 8
REASON_CHARS = 300
QUIET = "bright_black"
NOTICE = "yellow"
LLM_TEXTS = frozenset({"llm_thinking", "llm_response"})
EXECUTIVE_SUMMARY = "executive_summary"
QUESTION = "user_question"
SPOKEN = LLM_TEXTS | {QUESTION}
TABLE_INDENT = "   "
STYLES = {
    "llm_thinking": "italic bright_black",
    "mcp_tool_summary": "cyan",
    "error": "red",
    "request": NOTICE,
    "alert_repeated": NOTICE,
    "alert_resolved": NOTICE,
}
HEADINGS = {
    "llm_thinking": "thinks",
    "llm_response": "says",
    "mcp_tool_summary": "summary of the result",
    "alert_repeated": "the alert came again",
    "alert_resolved": "the alert is resolved",
    QUESTION: "asks",
}

ERASED = Control(ControlType.CARRIAGE_RETURN, (ControlType.ERASE_IN_LINE, 2))

type Payload = dict[str, JsonValue]


class TerminalPage:
    """Lines and flowing text on a console. A line ends the text that flows."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self._flow = TextFlow(console)
        self._writing: tuple[str, str] | None = None
        self._is_passing = False

    def line(self, text: str, style: str) -> None:
        self.close()
        self.console.print(Text(text, style=style))

    def show_briefly(self, text: str) -> None:
        """One line, until something else is said. Nothing where it could not be taken back: in a file, in a pipe."""
        if not self.console.is_terminal or self.console.is_dumb_terminal:
            return
        self.close()
        line = Text(printable(text), style=QUIET)
        line.truncate(self.console.width - 1, overflow="ellipsis")
        self.console.print(line, end="")
        self._is_passing = True

    def heading(self, kind: str, speaker: str) -> None:
        if kind == EXECUTIVE_SUMMARY:
            self.rule("executive summary")
            return
        what = HEADINGS.get(kind, one_line(kind))
        who = speaker and f"{speaker}{'' if kind in SPOKEN else ':'} "
        self.line(f"· {who}{what}", "bold")

    def write(self, id: str, kind: str, text: str, speaker: str = "") -> None:
        """Goes on with the text `id`, under a heading of its own if something else came in between."""
        style = STYLES.get(kind, "default")
        if self._writing is None or self._writing[0] != id:
            self.heading(kind, speaker)
            self._writing = (id, style)
        self._flow.write(printable(text), style)

    def table(self, lines: list[str], total: object, whole: str = "") -> None:
        """The first lines of a result; those that are too long go on below, further in. `whole` is how to see all."""
        for line in lines[:FOLDED_LINES]:
            style = QUIET
            self._flow.write(printable(f"{TABLE_INDENT}{line}"), style)
            self._flow.end(style)
        more = (total if isinstance(total, int) else len(lines)) - min(len(lines), FOLDED_LINES)
        if more > 0:
            self.line(f"{TABLE_INDENT}… {format_count(more, 'more line')}{whole}", QUIET)

    def rule(self, title: str = "") -> None:
        self.close()
        self.console.print(Rule(title, style="green"))

    def block(self, title: str, content: str) -> None:
        self.rule(title)
        self.console.print(Markdown(printable(content), hyperlinks=False), soft_wrap=False)
        self.rule()

    def end(self, id: str) -> None:
        """This text has ended; another one may flow."""
        if self._writing is not None and self._writing[0] == id:
            self.close()

    def close(self) -> None:
        if self._is_passing:
            self.console.control(ERASED)
            self._is_passing = False
        if self._writing is not None:
            self._flow.end(self._writing[1])
            self._writing = None


def call_line(payload: Payload, speaker: str) -> tuple[str, str]:
    """The tool's name (and whose call it is), and the line that shows the call."""
    about = metadata(payload)
    name = one_line(f"{about.get('server_name')}.{about.get('tool_name')}")
    arguments = about.get("arguments")
    shown = ", ".join(f"{key}={value}" for key, value in arguments.items()) if isinstance(arguments, dict) else ""
    risk = "" if about.get("repeatable") else "  [changes something: runs once, on a grant]"
    if about.get("dry_run_of"):
        risk = "  [dry run]"
    elif about.get("verifies"):
        risk = "  [checks whether the action helped]"
    who = speaker and f"{speaker}: "
    number = about.get("number")
    cited = f"  {cite(number)}" if isinstance(number, int) and number else ""
    return f"{who}{name}", f"→ {who}{name}({one_line(shown)}){cited}{risk}"


def approval_line(payload: Payload, speaker: str) -> str:
    """The line that shows that a call waits, and how to decide."""
    about = metadata(payload)
    name = one_line(f"{about.get('server_name')}.{about.get('tool_name')}")
    session, call = one_line(text_of(payload, "session_id")), one_line(str(about.get("call_id", "")))[:SHORTEST_ID]
    until = one_line(str(about.get("expires_at", "")))
    who = speaker and f"{speaker}: "
    return f"? {who}{name} awaits approval until {until}: tarsy approve {session} {call}, or tarsy deny"


def summary_line(payload: Payload) -> str:
    """The line below a summary: its model, and what the agent did not have to read. Empty where nobody counted."""
    about = metadata(payload)
    if text_of(about, "reused_from"):
        return "(same lines as above: summary reused, no model was asked)"
    before, after = about.get("tokens_before"), about.get("tokens_after")
    if not isinstance(before, int) or not isinstance(after, int):
        return ""
    return one_line(f"({about.get('model')}: about {format_count(before, 'token')} became {after:,})")


def result_line(name: str, payload: Payload) -> tuple[str, str]:
    """The line above a result, and its style."""
    about = metadata(payload)
    outcome = one_line(str(about.get("outcome", payload.get("status"))))
    size = f"{format_count(about.get('lines'), 'line')}, {format_size(about.get('size'))}"
    return f"← {name}: {outcome}, {size}", "blue" if outcome == "ok" else "red"


def whole_result(payload: Payload, call_id: str) -> str:
    """How to see all of a result. Shows nothing of a call whose id an older server did not send."""
    session = text_of(payload, "session_id")
    return f": tarsy result {one_line(session)} {one_line(call_id)[:SHORTEST_ID]}" if session and call_id else ""


def runbook_line(payload: Payload, arguments: JsonValue) -> tuple[str, str]:
    """Its title, where it was fetched and how long it is; or why there is none."""
    about = metadata(payload)
    url = one_line(str(arguments.get("url", ""))) if isinstance(arguments, dict) else ""
    content = text_of(payload, "content")
    if about.get("outcome") != "ok":
        outcome = one_line(str(about.get("outcome", payload.get("status"))))
        return f"· runbook {url}: {outcome}: {one_line(content)[:REASON_CHARS]}", NOTICE
    first = one_line(content.lstrip().partition("\n")[0])
    title = f"“{first.lstrip('# ')[:REASON_CHARS]}” " if first.startswith("#") else ""
    return (
        f"· runbook {title}({url}): {format_count(about.get('lines'), 'line')}, {format_size(about.get('size'))}",
        QUIET,
    )


def metadata(payload: Payload) -> Payload:
    found = payload.get("metadata")
    return found if isinstance(found, dict) else {}


def text_of(payload: Payload, name: str) -> str:
    value = payload.get(name)
    return value if isinstance(value, str) else ""
