"""The final analysis of a session and its executive summary: each is marked once, and none is printed twice."""

from dataclasses import dataclass

from tarsy_cli.watch.rendering import TerminalPage

ANALYSIS = "final analysis"
SUMMARY = "executive summary"


@dataclass(frozen=True, slots=True)
class WholeAnswer:
    """An answer that came whole, and was not printed yet."""

    id: str
    kind: str
    content: str


class Conclusions:
    """`above` is the text that was printed last, without its marks: what was read while it streamed is not repeated.

    An answer that came whole is held back for as long as it may be a conclusion.
    """

    def __init__(self, page: TerminalPage) -> None:
        self._page = page
        self._answer: WholeAnswer | None = None
        self._candidate = ""
        self._marked = False
        self._summarised = False
        self._in_chat = False
        self.above = ""

    def hold(self, id: str, kind: str, content: str) -> None:
        self.flush()
        self._answer = WholeAnswer(id, kind, content)

    def analysis(self, content: str) -> None:
        """The analysis of an agent; that of the last agent is the session's."""
        if self._answer is None or not _is_same_text(self._answer.content, content):
            self.flush()
            if not _is_same_text(self.above, content):
                self._answer = WholeAnswer(f"analysis {content}", "llm_response", content)
        if not self._in_chat:
            self._candidate = content

    def chat_begins(self) -> None:
        self.flush()
        self._in_chat = True

    def mark(self) -> None:
        """The last analysis is the session's."""
        if not self._candidate or self._marked:
            return
        self._marked = True
        if not self._take_held_back(self._candidate) and _is_same_text(self.above, self._candidate):
            self._page.rule(f"the answer above is the {ANALYSIS}")
            return
        self._page.block(ANALYSIS, self._candidate)

    def summary(self, content: str) -> None:
        self._summarised = True
        if not self._take_held_back(content) and _is_same_text(self.above, content):
            self._page.rule()
            return
        self.flush()
        self._page.block(SUMMARY, content)

    def end(self, analysis: str, summary: str) -> None:
        """The session completed. Its own words are printed when they were not marked before."""
        if self._in_chat:
            self.flush()
        if not analysis or _is_same_text(analysis, self._candidate):
            self.mark()
        self.flush()
        if analysis and not self._marked:
            self._marked = True
            self._page.block(ANALYSIS, analysis)
        if summary and not self._summarised:
            self.summary(summary)

    def flush(self) -> None:
        held, self._answer = self._answer, None
        if held is not None:
            self._page.write(held.id, held.kind, held.content)
            self._page.close()
            self.above = held.content

    def settle(self) -> None:
        """Prints what is held back, unless it is an agent's analysis."""
        if self._answer is not None and not _is_same_text(self._answer.content, self._candidate):
            self.flush()

    def _take_held_back(self, content: str) -> bool:
        """True when it was held back; from now on it is not."""
        if self._answer is None or not _is_same_text(self._answer.content, content):
            return False
        self._answer = None
        return True


def _is_same_text(one: str, other: str) -> bool:
    return one.strip() == other.strip()
