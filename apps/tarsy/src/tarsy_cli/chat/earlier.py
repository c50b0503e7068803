"""The chat so far: questions that were asked, and how they were answered."""

from collections.abc import Sequence
from datetime import datetime

from rich.console import Console

from tarsy_cli.watch.rendering import QUESTION, QUIET, TerminalPage, text_of
from tarsy_contracts.api.timeline import TimelineEvent
from tarsy_local.terminal_text import one_line


def print_chat(timeline: Sequence[TimelineEvent], console: Console) -> None:
    page = TerminalPage(console)
    answers = {one.stage_id: one for one in timeline if one.event_type == "final_analysis"}
    for question in timeline:
        if question.event_type != QUESTION:
            continue
        at = datetime.fromisoformat(question.created_at).astimezone()
        who = one_line(text_of(question.metadata, "author"))
        page.write(question.id, QUESTION, question.content, f"{at:%m-%d %H:%M} {who}")
        answer = answers.get(text_of(question.metadata, "stage_id"))
        if answer is None:
            page.line("(no answer)", QUIET)
        else:
            page.write(answer.id, "llm_response", answer.content)
            page.close()
