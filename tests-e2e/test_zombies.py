"""An orchestrator that is frozen past its session, replaced, and thawed: it writes, and everybody ignores it."""

import pytest

from tarsy_investigation import submit
from tarsy_log import story
from tarsy_system import System
from tarsy_testing import eventually

pytestmark = pytest.mark.timeout(240)


@pytest.mark.parametrize("few_words", [True])
async def test_what_a_zombie_writes_is_ignored_by_all(system: System) -> None:
    await system.start_all()
    zombie = system.of("orchestrator")
    investigation = submit(system)
    await investigation.until_streaming("Turn 2.")
    zombie.freeze()
    owner = system.start("orchestrator")
    await system.until_ready(owner)
    log = await investigation.until("tool_call.requested", count=3)
    assert any(record.envelope.source.endswith(owner.name) for record in log.accepted)

    zombie.thaw()

    async def zombie_wrote() -> bool:
        return any(one.envelope.source.endswith(zombie.name) for one in (await investigation.log()).dropped)

    await eventually(zombie_wrote, "a record of the zombie that nobody accepts")
    log = await investigation.until_ended()
    after = next(i for i, record in enumerate(log.accepted) if record.envelope.source.endswith(owner.name))
    assert not any(record.envelope.source.endswith(zombie.name) for record in log.accepted[after : after + 3])
    assert story(log) == story(await submit(system).until_ended())

    path = f"/api/v1/sessions/{investigation.session_id}"

    async def projected() -> bool:
        session = system.get(path)
        return isinstance(session, dict) and session.get("last_number") == len(log.accepted)

    await eventually(projected, "the projector ends where the chain ends")
