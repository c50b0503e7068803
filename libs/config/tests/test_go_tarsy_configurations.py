"""Configurations as users of Go TARSy write them: each loads, does what it says, and tells what has no effect here.

Each file in go_tarsy/configurations is one of them. Its first lines say what is expected: `notes`, the keys that are
noted; `wrong`, a part of a mistake; `asks CHAIN.AGENT`, a provider and its fallbacks; `tools CHAIN.AGENT`;
`acts`, `skills`, `sends` and `running` of a CHAIN.AGENT; `stages CHAIN`; `summaries CHAIN`; `holidays`; `prices`;
`thinking`. What follows `---` is llm-providers.yaml.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from tarsy_config.checks.keys import keys_are_set
from tarsy_config.config import Config
from tarsy_config.errors import InvalidConfigError
from tarsy_config.loading.load import load_config
from tarsy_contracts.chain import ResolvedAgent, ResolvedChain

FILES = sorted((Path(__file__).parent / "go_tarsy/configurations").glob("*.yaml"))
SKILLS = ("networking", "nodes", "pods", "storage")
KEYS = (
    "GOOGLE_CLOUD_PROJECT",
    "GOOGLE_CLOUD_LOCATION",
    "GOOGLE_API_KEY",
    "OPENAI_API_KEY",
    "ANTHROPIC_API_KEY",
    "KUBECONFIG",
    "MONITORING_TOKEN",
)


def expected(file: Path) -> dict[str, list[str]]:
    """The words behind each heading."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for line in file.read_text("utf-8").splitlines():
        if line.startswith("# "):
            heading, _, words = line.removeprefix("# ").partition(": ")
            found[heading] += [words] if heading == "wrong" else words.split()
    return {**found, "notes": sorted(found["notes"])}


OF_AGENTS: dict[str, Callable[[ResolvedAgent, ResolvedChain], Iterable[str]]] = {
    "asks": lambda agent, _: [agent.llm_provider, *agent.fallback_providers],
    "sends": lambda agent, plan: [plan.sub_agents[key].name for key in agent.sub_agents],
    "running": lambda agent, _: [str(agent.sub_agent_limits.max_running)],
    "tools": lambda agent, _: agent.native_tools,
    "skills": lambda agent, _: [skill.name for skill in agent.skills],
    "acts": lambda agent, _: [agent.action or "no"],
}
OF_FILES: dict[str, Callable[[Config, str], Iterable[str]]] = {
    "notes": lambda config, _: sorted(note.path for note in config.notes),
    "summaries": lambda config, chain_id: (
        config.chain_for(next(iter(config.explain(chain_id).alert_types))).summary_fallbacks or ()
    ),
    "stages": lambda config, chain_id: [stage.name for stage in config.explain(chain_id).stages],
    "holidays": lambda config, _: [str(day.date) for day in config.system.holidays],
    "prices": lambda config, _: config.prices,
    "thinking": lambda config, _: [f"{name}={one.thinking}" for name, one in config.llm_providers.items()],
}


def observed(config: Config, heading: str) -> list[str]:
    """Raises KeyError for a heading that expects what nobody knows."""
    kind, _, name = heading.partition(" ")
    chain_id, _, agent = name.partition(".")
    if kind not in OF_AGENTS:
        return [*OF_FILES[kind](config, chain_id)]
    (plan,) = [plan for plan in config.plans if plan.chain_id == chain_id]
    return [*OF_AGENTS[kind](next(one for one in plan.agents() if one.name == agent), plan)]


def load(file: Path, folder: Path) -> Config:
    tarsy, _, providers = file.read_text("utf-8").partition("\n---\n")
    (folder / "tarsy.yaml").write_text(tarsy, "utf-8")
    if providers:
        (folder / "llm-providers.yaml").write_text(providers, "utf-8")
    for name in SKILLS:
        (folder / "skills").mkdir(exist_ok=True)
        (folder / "skills" / name).write_text(f"---\nname: {name}\ndescription: On {name}\n---\nLook.\n", "utf-8")
    return load_config(folder, dict.fromkeys(KEYS, "x"), also=(keys_are_set,))


@pytest.mark.parametrize("file", [file for file in FILES if "wrong" not in expected(file)], ids=lambda file: file.stem)
def test_a_configuration_of_go_tarsy_loads_and_tells_what_has_no_effect(file: Path, tmp_path: Path) -> None:
    config, wanted = load(file, tmp_path), expected(file)
    assert {heading: observed(config, heading) for heading in wanted} == wanted


@pytest.mark.parametrize("file", [file for file in FILES if "wrong" in expected(file)], ids=lambda file: file.stem)
def test_a_configuration_that_can_be_meant_in_several_ways_is_refused(file: Path, tmp_path: Path) -> None:
    with pytest.raises(InvalidConfigError) as caught:
        load(file, tmp_path)
    wanted = expected(file)["wrong"]
    assert [one for one in wanted if one not in str(caught.value)] == []
    assert len(caught.value.mistakes) == len(wanted), caught.value
