"""Prompt of a summary."""

import hashlib
import json
from importlib.resources import files
from string import Template

from tarsy_contracts.conversation import Conversation, UserMessage
from tarsy_contracts.messages.requests import SummaryRequest
from tarsy_summary_prompt.excerpt import ExcerptText
from tarsy_summary_prompt.facts import facts

WORDS_OF_FOUR_TOKENS = 3
QUESTION = "The question that the engineer answers now, as a person asked it:"
KINDS = "The most frequent kinds of lines in all of it, left out or not; marks name them by their numbers:"


def summary_conversation(request: SummaryRequest, result: ExcerptText) -> Conversation:
    """`result` is what is to be shortened, short enough already.

    The fence is made from the text that it encloses: nobody can write that text so that it holds its own fence.
    """
    words = {
        "max_tokens": str(request.max_tokens),
        "max_words": str(max(1, request.max_tokens * WORDS_OF_FOUR_TOKENS // 4)),
        "alert": request.alert or request.alert_title,
        "question": request.question,
        "steps": request.steps or "(nothing)",
        "tool": request.tool,
        "server": request.server,
        "arguments": json.dumps(request.arguments, ensure_ascii=False),
        "purpose": request.purpose or "(nothing)",
        "facts": facts(request, result),
        "result": result.text,
        "kinds": result.kinds,
    }
    enclosed = hashlib.sha256("\0".join(words.values()).encode(errors="replace"))
    words["fence"] = fence = f"-----{enclosed.hexdigest()[:16]}-----"
    words["question"] = f"\n{QUESTION}\n{fence}\n{request.question}\n{fence}\n" if request.question else ""
    words["kinds"] = f"\n{KINDS}\n{fence}\n{result.kinds}\n{fence}\n" if result.kinds else ""
    return Conversation(
        system=_read_template("system").substitute(words),
        messages=(UserMessage(content=_read_template("request").substitute(words)),),
    )


def _read_template(name: str) -> Template:
    return Template(files("tarsy_summary_prompt").joinpath("prompts", f"{name}.md").read_text(encoding="utf-8"))
