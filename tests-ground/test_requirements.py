"""A machine that cannot have an engine is told what it lacks."""

from tarsy_ground.requirements import PROGRAMS, missing_requirements
from tarsy_programs import known_programs


def test_an_able_machine_lacks_nothing() -> None:
    assert missing_requirements(system="linux", user=0) == []


def test_each_want_is_named() -> None:
    lacks = missing_requirements(system="darwin", user=501)
    assert lacks == ["It needs Linux, and this is darwin.", "Only root may start it."]


def test_make_programs_brings_each_program() -> None:
    assert set(PROGRAMS) <= known_programs()
