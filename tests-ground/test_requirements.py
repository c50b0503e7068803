"""A machine that cannot have an engine is told what it lacks."""

from tarsy_ground.requirements import missing_requirements


def test_an_able_machine_lacks_nothing() -> None:
    assert missing_requirements(system="linux", user=0, find=lambda name: f"/usr/bin/{name}") == []


def test_each_want_is_named() -> None:
    lacks = missing_requirements(system="darwin", user=501, find=lambda name: None if name == "dockerd" else name)
    assert lacks == [
        "It needs Linux, and this is darwin.",
        "Only root may start it.",
        "Programs are missing: apt-get install docker.io",
    ]
