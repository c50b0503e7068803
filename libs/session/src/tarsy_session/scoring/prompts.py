"""Prompts of the judge of an investigation. Pure."""

import hashlib
from collections.abc import Iterator, Sequence
from datetime import datetime

from tarsy_contracts.chain import ResolvedAgent
from tarsy_contracts.events import OfferedTool
from tarsy_contracts.scores import DIMENSIONS, FAILURE_TAGS, ScoreFacts
from tarsy_session.prompt_context.question import collect_investigation, history_limit
from tarsy_session.prompts.roles import MARKS
from tarsy_session.prompts.sources import compose_alert
from tarsy_session.prompts.system import CUSTOM
from tarsy_session.prompts.task import join_parts
from tarsy_session.prompts.transcript import compose_transcript
from tarsy_session.scoring.facts import find_facts
from tarsy_session.state import Investigating, Stage
from tarsy_session.text import fence

ROLE = """\
You judge how well an investigation of a production alert was made. You see the alert, all that its agents thought,
called, read and concluded, and facts that were counted from its record. You look into no system yourself.

## How you judge

- The outcome decides. Is the conclusion right, as far as the results allow to say, and can somebody act on it? Right
  and well supported: 60 to 100. Partly right, or weakly supported: 35 to 59. Wrong or unsupported: 0 to 34.
- Where in that range it lies, the other dimensions say: a short way with good evidence is worth more than a long one.
- Take points off only for what you can name. Cite the number of the call that shows it, or no call where none does.
- The facts are counted. Do not count again, and do not contradict them.
- What nobody could look at is no fault, if the analysis says so. Well-written text is no evidence.
- You have no part in what you judge. Do not be kind."""


def _list_terms(terms: dict[str, str]) -> str:
    return "\n".join(f"- {name}: {meaning}" for name, meaning in terms.items())


ANSWER = f"""\
## Your answer

Answer with one JSON object and nothing else:

{{"score": 0 to 100,
 "dimensions": {{"outcome": 0 to 100, "evidence": ..., "tools": ..., "reasoning": ..., "completeness": ...}},
 "tags": ["..."],
 "deductions": [{{"dimension": "...", "points": 10, "reason": "one sentence", "calls": [7]}}],
 "summary": "two or three sentences: what was good, what was not",
 "tools": {{"missing": [{{"tool": "what it would do", "why": "..."}}],
           "misleading": [{{"tool": "server.tool", "why": "..."}}]}}}}

The dimensions:

{_list_terms({str(name): meaning for name, meaning in DIMENSIONS.items()})}

The tags that fit, of these and no others; none where none fits:

{_list_terms(FAILURE_TAGS)}

`calls` is empty where no call shows the reason. `missing` names tools that would have helped and that nobody offered;
`misleading` those whose description, arguments or results led the agents astray."""

PROMPT_DIGEST = hashlib.sha256(f"{ROLE}\n{MARKS}\n{ANSWER}".encode()).hexdigest()[:16]
"""Covers all that every judge is told: scores of different prompts are not the same measure."""


def instruct_judge(agent: ResolvedAgent, tools: Sequence[OfferedTool], limits: Sequence[str]) -> Iterator[str]:
    yield ROLE
    yield MARKS
    if agent.custom_instructions.strip():
        yield CUSTOM.substitute(instructions=agent.custom_instructions.strip())
    yield ANSWER


def compose_judgement(state: Investigating, stage: Stage, at: datetime, tools: Sequence[OfferedTool]) -> str:
    judge = state.started.chain.scoring
    assert judge is not None
    alert = compose_alert(state.started.alert)
    transcript = compose_transcript(collect_investigation(state), max(history_limit(judge) - len(alert), 1_000))
    return join_parts(alert, transcript, _compose_facts(find_facts(state)), "Judge this investigation now.")


def _compose_facts(facts: ScoreFacts) -> str:
    lines = "\n".join(f"{name}: {value}" for name, value in facts.model_dump(mode="json").items())
    return f"## Facts of the record\n\n{fence('FACTS', lines)}"
