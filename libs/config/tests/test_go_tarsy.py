"""The files of somebody who comes from Go TARSy load, resolve as they did there, and what is different is noted."""

from pathlib import Path
from shutil import copytree

import pytest

from tarsy_config.checks.keys import keys_are_set
from tarsy_config.config import Config
from tarsy_config.errors import InvalidConfigError
from tarsy_config.loading.load import load_config
from tarsy_contracts.chain import ResolvedAgent

FILES = Path(__file__).parent / "go_tarsy"
ENVIRON = {
    "KUBECONFIG": "/kube",
    "PROXY": "http://proxy",
    "METRICS_TOKEN": "m",
    "TEAM": "shop",
    "GOOGLE_API_KEY": "g",
    "OPENAI_API_KEY": "o",
    "SHOP_CLAUDE_KEY": "c",
}


@pytest.fixture
def config() -> Config:
    return load_config(FILES, ENVIRON, also=(keys_are_set,))


def servers(agent: ResolvedAgent) -> list[str]:
    return [server.server for server in agent.servers]


def test_stages_and_their_agents_are_resolved(config: Config) -> None:
    chain = config.chain_for("PodCrashLoop")
    collect, _, verify, conclude = chain.stages
    assert [stage.name for stage in chain.stages] == ["collect", "look", "verify", "conclude"]
    assert [stage.success_policy for stage in chain.stages] == ["all", "any", "all", "all"]
    (kubernetes,) = collect.agents
    assert (kubernetes.llm_provider, kubernetes.max_iterations) == ("gemini-2.5-pro", 10)
    assert kubernetes.fallback_providers == ("shop-claude",)
    assert kubernetes.native_tools == ("google_search", "url_context")
    assert servers(kubernetes) == ["kubernetes-server", "metrics"]
    assert [agent.name for agent in verify.agents] == [f"KubernetesAgent-{number}" for number in (1, 2, 3)]
    assert [agent.max_iterations for agent in verify.agents] == [16, 16, 16]
    assert (conclude.agents[0].name, servers(conclude.agents[0]), conclude.synthesis) == ("GeneralWorker", [], None)


def test_parallel_agents_and_who_joins_their_analyses(config: Config) -> None:
    look = config.chain_for("PodCrash").stages[1]
    kubernetes, database = look.agents
    assert (kubernetes.llm_provider, kubernetes.max_iterations, servers(kubernetes)) == ("shop-claude", 5, ["metrics"])
    assert (kubernetes.fallback_providers, kubernetes.native_tools) == ((), ())
    assert (database.llm_provider, database.max_iterations) == ("gemini-2.5-pro", 16)
    assert (servers(database), database.native_tools) == (["database", "metrics"], ())
    assert database.fallback_providers == ("openai-default",)
    assert look.synthesis is not None
    assert (look.synthesis.name, look.synthesis.llm_provider, look.synthesis.custom_instructions) == (
        "Judge",
        "openai-default",
        "Decide.",
    )
    assert look.synthesis.fallback_providers == ()
    verify = config.chain_for("PodCrash").stages[2]
    assert verify.synthesis is not None
    assert (verify.replicas, look.replicas, verify.synthesis.name) == (True, False, "SynthesisAgent")


def test_what_holds_for_the_whole_session_is_resolved(config: Config) -> None:
    chain = config.chain_for("PodCrash")
    assert chain.executive_summary is not None
    assert chain.executive_summary.llm_provider == "gemini-2.5-flash"
    assert chain.executive_summary.fallback_providers == ("shop-claude",)
    assert chain.summary_llm_provider == "gemini-2.5-flash"
    assert chain.stages[0].agents[0].servers[1].summary.llm_provider == "openai-default"
    assert chain.default_runbook.startswith("# What we always do")
    assert (chain.limits.session_seconds, config.queue.max_concurrent_sessions) == (1500.0, 12)
    assert config.system.github.token_env == "SHOP_GITHUB_TOKEN"
    assert config.system.runbooks.allowed_domains[-1] == "wiki.shop.example"
    assert config.defaults.alert_masking.pattern_group == "kubernetes"
    headers = config.mcp_servers["metrics"].transport.headers
    assert {name: value.get_secret_value() for name, value in headers.items()} == {"X-Team": "shop"}
    assert config.llm_providers_in_use == {"gemini-2.5-pro", "gemini-2.5-flash", "shop-claude", "openai-default"}
    assert config.alert_types() == {"PodCrash": "crash", "PodCrashLoop": "crash"}


def test_skills_are_those_of_the_agent_and_of_its_stage(config: Config) -> None:
    collect, look, *_ = config.chain_for("PodCrash").stages
    assert {skill.name: skill.required for skill in collect.agents[0].skills} == {
        "rollouts": True,
        "nodes": True,
        "networking": False,
    }
    assert look.agents[1].skills == ()


NOTED = """\
queue.worker_count queue.poll_interval queue.poll_interval_jitter queue.graceful_shutdown_timeout
queue.scoring_shutdown_timeout queue.orphan_detection_interval queue.orphan_threshold queue.heartbeat_interval
system.allowed_ws_origins system.cost_estimation.enabled
system.retention.event_ttl system.retention.cleanup_interval
defaults.llm_backend defaults.fallback_providers[0].backend defaults.fallback_providers[1].backend
defaults.summarization.llm_backend defaults.memory.embedding
mcp_servers.metrics.summarization.llm_backend agents.DatabaseAgent.llm_backend
agent_chains.crash.llm_backend
agent_chains.crash.fallback_providers[0].backend
agent_chains.crash.stages[0].agents[0].llm_backend
agent_chains.crash.stages[1].synthesis.llm_backend
llm_providers.grok.max_tool_result_tokens"""


def test_each_agent_sends_those_that_its_last_section_names(config: Config) -> None:
    chain = config.chain_for("PodCrash")
    sent = {stage.name: stage.agents[0].sub_agents for stage in chain.stages}
    database = "DatabaseAgent (agent_chains.crash.sub_agents[1])"
    assert sent == {
        "collect": ("GeneralWorker", database),
        "look": ("GeneralWorker", database),
        "verify": ("GeneralWorker",),
        "conclude": ("GeneralWorker",),
    }
    assert chain.chat is not None
    assert chain.chat.sub_agents == ("GeneralWorker",)
    own = chain.sub_agents[database]
    assert (own.name, own.max_iterations, own.description) == ("DatabaseAgent", 4, "looks into databases")
    limits = chain.stages[2].agents[0].sub_agent_limits
    assert (limits.max_running, limits.seconds, limits.total_seconds, limits.max_depth) == (1, 300.0, 600.0, 1)


def test_every_key_without_effect_is_noted_with_its_line(config: Config) -> None:
    assert sorted(note.path for note in config.notes) == sorted(NOTED.split())
    lines = {file: (FILES / file).read_text("utf-8").splitlines() for file in ("tarsy.yaml", "llm-providers.yaml")}
    for note in config.notes:
        assert note.line is not None
        last = note.path.rsplit(".", 1)[-1]
        assert last in lines[note.file][note.line - 1]


def test_notes_stand_in_the_order_of_the_lines_and_say_why(config: Config) -> None:
    files = ["tarsy.yaml", "llm-providers.yaml"]
    assert list(config.notes) == sorted(config.notes, key=lambda note: (files.index(note.file), note.line))
    assert str(config.notes[0]) == (
        "tarsy.yaml:3: queue.worker_count: has no effect here: max_concurrent_sessions counts in each orchestrator"
    )


def test_an_agent_that_acts_runs_beside_others_under_its_own_rules(tmp_path: Path) -> None:
    folder = copytree(FILES, tmp_path / "config")
    text = (folder / "tarsy.yaml").read_text("utf-8")
    (folder / "tarsy.yaml").write_text(text.replace("- {name: DatabaseAgent, mcp", "- {name: Restarter, mcp"), "utf-8")
    config = load_config(folder, ENVIRON)
    agents = config.chain_for("PodCrash").stages[1].agents
    assert [(agent.name, agent.action) for agent in agents] == [("KubernetesAgent", ""), ("Restarter", "act")]


def test_an_agent_that_acts_joins_no_analyses(tmp_path: Path) -> None:
    folder = copytree(FILES, tmp_path / "config")
    text = (folder / "tarsy.yaml").read_text("utf-8")
    (folder / "tarsy.yaml").write_text(text.replace("{agent: Judge", "{agent: Restarter"), "utf-8")
    with pytest.raises(InvalidConfigError, match="an agent of type action cannot make one analysis of several"):
        load_config(folder, ENVIRON)


def test_agents_that_replicas_leave_out_are_noted(tmp_path: Path) -> None:
    folder = copytree(FILES, tmp_path / "config")
    text = (folder / "tarsy.yaml").read_text("utf-8")
    (folder / "tarsy.yaml").write_text(text.replace("success_policy: any\n", "replicas: 2\n"), "utf-8")
    config = load_config(folder, ENVIRON)
    (note,) = [note for note in config.notes if note.path.endswith("replicas")]
    assert note.sentence == "runs the first agent 2 times, and none of the others"
    assert [agent.name for agent in config.chain_for("PodCrash").stages[1].agents] == [
        "KubernetesAgent-1",
        "KubernetesAgent-2",
    ]
