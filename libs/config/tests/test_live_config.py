"""A configuration that changes is checked whole, and then holds in one step. With a mistake the old one stays."""

import asyncio
import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
import yaml
from structlog.testing import capture_logs

from tarsy_config.config import Config
from tarsy_config.errors import InvalidConfigError
from tarsy_config.loading.live_config import ConfigSource, LiveConfig, LiveMapping
from tarsy_llm.scripted.script import InvalidScriptError

ENVIRON = {"TOKEN": "hunter2"}


def text(*alert_types: str, agent: str = "A", iterations: object = 5) -> str:
    stage = {"name": "look", "agents": [{"name": agent, "max_iterations": iterations, "llm_provider": "scripted"}]}
    return yaml.safe_dump(
        {
            "agents": {"A": {}},
            "agent_chains": {"c": {"alert_types": ["kubernetes", *alert_types], "stages": [stage]}},
            "llm_providers": {"scripted": {"type": "scripted", "script": "script.yaml"}},
        }
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "script.yaml").touch()
    return write(tmp_path, text())


def write(folder: Path, content: str) -> Path:
    (folder / "tarsy.yaml").write_text(content, encoding="utf-8")
    return folder


class Watched:
    """A service that makes of each configuration the alert types that it knows."""

    def __init__(self, folder: Path) -> None:
        self.judged: list[bool] = []
        self.before: list[frozenset[str] | None] = []
        self.problem: Exception | None = None
        self.meanwhile: Callable[[], object] = lambda: None
        self.live = LiveConfig(ConfigSource(folder, ENVIRON), self.prepare, judged=self.judged.append)

    def prepare(self, config: Config, before: frozenset[str] | None) -> frozenset[str]:
        self.before.append(before)
        self.meanwhile()
        if self.problem is not None:
            raise self.problem
        return frozenset(config.alert_types())

    async def look(self) -> bool:
        """Twice: a content counts once two looks have found it."""
        assert await self.live.look() is False
        return await self.live.look()


async def test_what_the_files_say_later_holds_from_then_on(folder: Path) -> None:
    service = Watched(folder)
    first = service.live.version
    assert await service.look() is False
    write(folder, text("disk"))
    assert await service.look() is True
    assert service.live.current == {"kubernetes", "disk"}
    assert service.live.version not in ("", first)
    assert (service.before, service.judged) == ([None, {"kubernetes"}], [True, True])
    assert await service.look() is False


async def test_with_mistakes_the_old_one_stays_and_each_mistake_is_told_once_with_its_line(folder: Path) -> None:
    service = Watched(folder)
    version = service.live.version
    write(folder, text(agent="B", iterations="many"))
    with capture_logs() as logs:
        for _ in range(5):
            assert await service.live.look() is False
    assert service.live.current == frozenset({"kubernetes"})
    assert service.live.version == version
    (line,) = [one for one in logs if one["event"] == "config.refused"]
    assert line["stays"] == version
    assert [str(one).split(": ")[0] for one in line["mistakes"]] == ["tarsy.yaml:8", "tarsy.yaml:9"]
    assert service.judged == [True, False]
    (reason,) = service.live.explain_degraded()
    assert version in reason
    assert "tarsy.yaml:8" in reason
    assert "2 mistakes" in reason


async def test_a_mistake_that_is_taken_back_is_forgotten(folder: Path) -> None:
    service = Watched(folder)
    version = service.live.version
    write(folder, "agents: 3")
    await service.look()
    assert service.live.explain_degraded() != []
    write(folder, text())
    await service.look()
    assert (service.live.explain_degraded(), service.live.version) == ([], version)
    assert service.judged == [True, False, True]


async def test_half_a_file_is_not_loaded_though_it_would_be_a_good_one(folder: Path) -> None:
    service = Watched(folder)
    write(folder, text("half"))
    assert await service.live.look() is False
    write(folder, text("half", "whole"))
    assert await service.live.look() is False
    assert await service.live.look() is True
    assert service.live.current == {"kubernetes", "half", "whole"}


async def test_what_changes_while_it_is_read_does_not_hold(folder: Path) -> None:
    service = Watched(folder)
    write(folder, text("one"))
    service.meanwhile = lambda: write(folder, text("two"))
    assert await service.look() is False
    assert service.live.current == {"kubernetes"}
    assert await service.look() is True
    assert service.live.current == {"kubernetes", "two"}


async def test_a_configmap_is_followed_through_its_links(tmp_path: Path) -> None:
    for name, content in (("..1", text()), ("..2", text("disk"))):
        (tmp_path / name).mkdir()
        write(tmp_path / name, content)
        (tmp_path / name / "script.yaml").touch()
    (tmp_path / "..data").symlink_to("..1")
    for name in ("tarsy.yaml", "script.yaml"):
        (tmp_path / name).symlink_to(f"..data/{name}")
    service = Watched(tmp_path)
    (tmp_path / "..data_tmp").symlink_to("..2")
    os.replace(tmp_path / "..data_tmp", tmp_path / "..data")
    assert await service.look() is True
    assert service.live.current == {"kubernetes", "disk"}


async def test_a_file_that_is_gone_is_a_mistake_like_any_other(folder: Path) -> None:
    service = Watched(folder)
    (folder / "tarsy.yaml").unlink()
    assert await service.look() is False
    assert "cannot be read" in service.live.explain_degraded()[0]


@pytest.mark.parametrize(
    ("problem", "told"),
    [(InvalidScriptError("script.yaml:3: no"), "script.yaml:3: no"), (RuntimeError("hunter2"), "RuntimeError")],
)
async def test_what_a_service_cannot_make_its_value_of_does_not_hold(
    folder: Path, problem: Exception, told: str
) -> None:
    service = Watched(folder)
    service.problem = problem
    write(folder, text("disk"))
    with capture_logs() as logs:
        assert await service.look() is False
    assert service.live.current == {"kubernetes"}
    assert told in service.live.explain_degraded()[0]
    assert "hunter2" not in str(logs)


async def test_it_looks_every_few_seconds_and_tells_of_each_switch(folder: Path) -> None:
    service, slept, switched = Watched(folder), list[float](), list[frozenset[str]]()

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == 2:
            write(folder, text("disk"))
        if len(slept) == 5:
            raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await service.live.follow(7.0, switched=lambda: switched.append(service.live.current), sleep=sleep)
    assert slept == [7.0] * 5
    assert switched == [{"kubernetes", "disk"}]


def test_at_the_start_a_mistake_is_an_error(folder: Path) -> None:
    write(folder, text(agent="B"))
    with pytest.raises(InvalidConfigError, match=r"tarsy\.yaml:"):
        Watched(folder)


def test_a_part_of_the_value_is_that_of_the_value_that_holds() -> None:
    values: list[Mapping[str, int]] = [{"a": 1}]
    part = LiveMapping(lambda: values[-1])
    assert dict(part) == {"a": 1}
    values.append({"b": 2, "c": 3})
    assert (dict(part), len(part), part.get("a")) == ({"b": 2, "c": 3}, 2, None)
