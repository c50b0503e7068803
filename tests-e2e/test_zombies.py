"""An orchestrator that is frozen past its session, replaced, and thawed: it writes, and everybody ignores it."""

from pathlib import Path

import pytest

from tarsy_bus.records import Delivery
from tarsy_cli.chaos.faults import faults_of
from tarsy_cli.chaos.session_log import SessionLog
from tarsy_cli.chaos.tool_runs import runs_of
from tarsy_investigation import Investigation, submit
from tarsy_system import ServiceProcess, System
from tarsy_testing import eventually

pytestmark = pytest.mark.timeout(240)


LAST_TURN = 5


@pytest.mark.parametrize("few_words", [True])
async def test_what_a_zombie_writes_is_ignored_by_all(system: System, lab_calls: Path) -> None:
    """A thawed process may read what happened before it writes, and then has nothing to write: it is frozen again."""
    await system.start_all()
    await system.until_ready(system.start("orchestrator"))
    investigation = submit(system)
    zombie: ServiceProcess | None = None
    for turn in range(2, LAST_TURN + 1):
        await investigation.until_streaming(f"Turn {turn}.")
        frozen = await freeze_the_owner(system, investigation, turn)
        if await writes_when_thawed(investigation, frozen):
            zombie = frozen
            break
    assert zombie is not None, "no zombie wrote anything: the test has shown nothing"

    log = await investigation.until_ended()
    assert written_by(zombie, log.dropped)
    undisturbed = await submit(system).until_ended()
    assert faults_of(log, runs_of(lab_calls, investigation.session_id), undisturbed) == []
    await projected(system, investigation, len(log.accepted))


async def freeze_the_owner(system: System, investigation: Investigation, turn: int) -> ServiceProcess:
    """Freezes the process that asks the model now, and waits until another has gone on with the session."""
    last = (await investigation.log()).accepted[-1].envelope.source
    owner = next(process for process in system.processes if last.endswith(process.name))
    owner.freeze()

    async def gone_on() -> bool:
        log = await investigation.log()
        return log.types.count("llm_call.completed") >= turn and not last.endswith(source_of_answer(log, turn))

    await eventually(gone_on, f"another orchestrator goes on with turn {turn}")
    return owner


def source_of_answer(log: SessionLog, turn: int) -> str:
    answers = [record for record in log.accepted if record.envelope.type == "llm_call.completed"]
    return answers[turn - 1].envelope.source


async def writes_when_thawed(investigation: Investigation, zombie: ServiceProcess) -> bool:
    """True when it wrote something that nobody accepts, before it learned that it does not own any longer."""
    before = assignments(zombie)
    zombie.thaw()

    async def learned() -> bool:
        return assignments(zombie) > before

    await eventually(learned, f"{zombie.name} joins its group again")
    return written_by(zombie, (await investigation.log()).dropped)


def assignments(process: ServiceProcess) -> int:
    return process.log.read_text(errors="replace").count("partitions.assigned")


def written_by(zombie: ServiceProcess, records: list[Delivery]) -> bool:
    return any(record.envelope.source.endswith(zombie.name) for record in records)


async def projected(system: System, investigation: Investigation, count: int) -> None:
    async def look() -> bool:
        session = system.get(f"/api/v1/sessions/{investigation.session_id}")
        return isinstance(session, dict) and session.get("last_number") == count

    await eventually(look, "the projector ends where the chain ends")
