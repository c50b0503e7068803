"""Decisions on the wish that a finished investigation is judged, also once more. Pure."""

from tarsy_contracts import events as e
from tarsy_contracts.messages import inputs as i
from tarsy_contracts.scores import SCORING
from tarsy_session.decide_phases import MOST_RUNS, request_phase
from tarsy_session.decisions.chat import INCOMPLETE, accept, refuse
from tarsy_session.phases import phase_of
from tarsy_session.state import AtRest, Investigating
from tarsy_session.state_queries import has_loose_ends

NO_JUDGE = "the plan of this session names no judge: `scoring` of tarsy.yaml does, for the sessions to come"
NO_ANALYSIS = "the session did not complete: there is no analysis to judge"
TOO_MANY = f"the session was judged {MOST_RUNS} times, and takes no more"
UNDER_WAY = "the investigation is being judged already"
REPLYING = "a reply is being written: wait for its end"
RUNNING = "the investigation has not ended yet"


def score_at_rest(state: AtRest, request: i.ScoreRequested) -> list[e.Event]:
    if request.request_id in state.answers:
        return []
    if refusal := _find_refusal(state):
        return [refuse(request, e.SCORE, 409, refusal)]
    requested = request_phase(state, SCORING, request_id=request.request_id, author=request.author)
    return [accept(request, e.SCORE), requested]


def score_while_open(state: Investigating, request: i.ScoreRequested) -> list[e.Event]:
    if request.request_id in state.answers:
        return []
    reason = RUNNING if state.ended is None else UNDER_WAY if phase_of(state).name == SCORING else REPLYING
    return [refuse(request, e.SCORE, 409, reason)]


def _find_refusal(state: AtRest) -> str:
    if state.started is None or has_loose_ends(state):
        return INCOMPLETE
    if not isinstance(state.ended, e.SessionCompleted):
        return NO_ANALYSIS
    if state.started.chain.scoring is None:
        return NO_JUDGE
    runs = sum(run.requested.phase == SCORING for run in state.phase_runs)
    return TOO_MANY if runs >= MOST_RUNS else ""
