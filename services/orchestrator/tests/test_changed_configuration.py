"""A configuration that changes while a session runs: the session keeps its plan, the next one gets the new one."""

from functools import partial
from pathlib import Path

import yaml
from orchestrator_running import RunningOwner
from orchestrator_world import SERVER, World, calling, new_session, words
from prometheus_client import CollectorRegistry

from tarsy_config.loading.live_config import ConfigSource, LiveConfig
from tarsy_contracts.chain import ResolvedChain
from tarsy_contracts.events import ExecutionStarted, SessionStarted
from tarsy_contracts.messages import inputs as i
from tarsy_orchestrator.app import build
from tarsy_orchestrator.effects.chain_resolution import prepare_plans
from tarsy_orchestrator.settings import OrchestratorSettings
from tarsy_session.state import Investigating
from tarsy_testing.story.story import READ, Story, agent, chain, stage


def write(folder: Path, *agents: str, provider: str = "scripted", pace_seconds: float = 0) -> None:
    """A chain of one stage, in which these agents look one after the other."""
    stages = [{"name": name, "agents": [{"name": name, "llm_provider": provider}]} for name in agents]
    (folder / "script.yaml").write_text("turns: [{agent: A, iteration: 1, text: fine}]", "utf-8")
    config = {
        "agents": {name: {"mcp_servers": [SERVER]} for name in agents},
        "agent_chains": {"c": {"alert_types": [SERVER], "stages": stages}},
        "mcp_servers": {SERVER: {"transport": {"type": "stdio", "command": "none"}, "allow": [READ.tool]}},
        "llm_providers": {provider: {"type": "scripted", "script": "script.yaml", "pace_seconds": pace_seconds}},
        "defaults": {"alert_type": SERVER},
    }
    (folder / "tarsy.yaml").write_text(yaml.safe_dump(config), "utf-8")


async def test_a_running_session_keeps_its_plan_and_the_next_one_gets_the_new_one(world: World, tmp_path: Path) -> None:
    write(tmp_path, "Old")
    live = LiveConfig(ConfigSource(tmp_path, {}), partial(prepare_plans, str))
    world.turns[:] = [calling(READ), words("the cause is X")]
    owner: RunningOwner = world.beginning("first")
    owner.live = live
    await owner.until_ready()
    await world.alert(running := new_session())
    request = await world.request(running)
    old = live.version

    write(tmp_path, "New")
    assert [await live.look(), await live.look()] == [False, True]
    await world.alert(following := new_session())
    await world.until(following, "execution.started")
    await world.result(request)
    await world.result(await world.request(following))
    for session, name, version in ((running, "Old", old), (following, "New", live.version)):
        log = await world.until_ended(session)
        assert [started.agent for started in log.events(ExecutionStarted)] == [name]
        assert [started.chain.config_version for started in log.events(SessionStarted)] == [version]
    assert old != live.version


def test_what_is_decided_after_a_change_follows_the_plan_on_the_log() -> None:
    story = Story(plan=chain(stage(agent("First"), name="one"), stage(agent("Second"), name="two")))
    story.asking()
    story.plan = chain(stage(agent("Other", max_iterations=1), name="other"))
    story.when(story.answer("nothing found"))
    story.offered()
    assert [state.agent.name for state in story.investigating.executions.values()] == ["First", "Second"]
    story.when(i.AlertReceived(alert=story.alert), input_id="again")
    assert isinstance(story.state, Investigating)
    assert [one.name for one in story.state.started.chain.stages] == ["one", "two"]


def test_a_plan_from_before_there_was_a_version_is_read() -> None:
    old = chain().model_dump(exclude={"config_version"})
    assert ResolvedChain.model_validate(old).config_version == ""


async def test_a_provider_that_is_removed_or_replaced_stays_for_those_who_named_it(tmp_path: Path) -> None:
    write(tmp_path, "A", provider="first")
    live = LiveConfig(ConfigSource(tmp_path, {}), partial(prepare_plans, str))
    first = live.current.models.llms["first"]
    write(tmp_path, "A", provider="second")
    await live.look()
    await live.look()
    second = live.current.models.llms["second"]
    assert live.current.models.llms == {"first": first, "second": second}
    write(tmp_path, "B", provider="second")
    await live.look()
    await live.look()
    assert live.current.models.llms["second"] is second
    write(tmp_path, "B", provider="second", pace_seconds=1)
    await live.look()
    await live.look()
    assert live.current.models.llms["second"] is not second
    assert live.current.models.replaced == (second,)
    assert set(live.current.models.identities) == {"first", "second"}


def test_an_orchestrator_shows_the_version_that_it_runs_by(tmp_path: Path) -> None:
    write(tmp_path, "A")
    registry = CollectorRegistry()
    service = build(OrchestratorSettings(config_dir=tmp_path), registry)
    assert len(service.config_version()) == 12
    assert registry.get_sample_value("tarsy_config_reload_failed", {"service": "orchestrator"}) == 0
    loaded = registry.get_sample_value("tarsy_config_loaded_timestamp_seconds", {"service": "orchestrator"})
    assert loaded is not None
    assert loaded > 1_700_000_000
