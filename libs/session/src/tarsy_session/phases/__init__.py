"""Phases: what a session does in its lives. A new one is a module with a `Phase`, and a line here."""

from collections.abc import Mapping

from tarsy_contracts import events as e
from tarsy_contracts.chain import ResolvedAgent, ResolvedChain, StageType
from tarsy_session.phases import investigation, reflection, reply, scoring
from tarsy_session.phases.phase import Phase, StageKind
from tarsy_session.state import Investigating

PHASES: Mapping[str, Phase] = {
    phase.name: phase
    for phase in (
        investigation.PHASE,
        reply.PHASE,
        scoring.PHASE,
        reflection.PHASE,
    )
}
KINDS: Mapping[StageType, StageKind] = {type: kind for phase in PHASES.values() for type, kind in phase.kinds.items()}
CANCEL_ANSWERS: Mapping[str, str] = {
    phase.cancel_request: phase.cancel_answer for phase in PHASES.values() if phase.cancel_request
}
"""By the request that cancels a phase."""


def phase_of(state: Investigating) -> Phase:
    return PHASES[state.life.phase]


def is_background(name: str) -> bool:
    """Whether it is a phase after the end that a person's question never waits for."""
    return name in PHASES and PHASES[name].question_refusal is None


def kind_of(stage_type: StageType) -> StageKind:
    """The agents of a stage whose type is not known investigate."""
    return KINDS.get(stage_type, KINDS["investigation"])


def agents_of(chain: ResolvedChain, stage: e.StageStarted) -> tuple[ResolvedAgent, ...]:
    return kind_of(stage.stage_type).agents(chain, stage.chain_stage)
