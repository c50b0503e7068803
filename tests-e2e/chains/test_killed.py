"""`kill -9` of a real process right after event k: the investigation ends as the undisturbed one does.

A sample, chosen by a seed; TARSY_SWEEP=all plays every k for every service, and takes an hour.
"""

from pathlib import Path

import pytest

from tarsy_testing.story.live_log import LiveLog
from tarsy_testing.system.kills import OF_WHOLE, Kill, faults, kills, play
from tarsy_testing.system.system import System
from tarsy_verification.session_log import SessionLog


@pytest.mark.parametrize("kill", kills(OF_WHOLE), ids=str)
async def test_the_end_is_that_of_the_undisturbed_investigation(
    kill: Kill, system: System, log: LiveLog, told: SessionLog, lab_calls: Path
) -> None:
    assert len(told.accepted) <= OF_WHOLE.last, "a sweep over all events would leave some out"
    assert faults(await play(system, log, kill), told, lab_calls) == []
