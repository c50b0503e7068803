"""Configurations as users of Go TARSy write them: each loads, does what it says, and tells what has no effect here.

Each file in go_tarsy/configurations is one of them. Its first lines say what is expected: `notes`, the keys that are
noted; `wrong`, a part of a mistake; `asks CHAIN.AGENT`, a provider and its fallbacks; `tools CHAIN.AGENT`;
`sends CHAIN.AGENT`; `running CHAIN.AGENT`; `stages CHAIN`; `prices`; `thinking`. What follows
`---` is llm-providers.yaml.
"""

from collections import defaultdict
from pathlib import Path

import pytest

from tarsy_config.checks.keys import keys_are_set
from tarsy_config.config import Config
from tarsy_config.errors import InvalidConfigError
from tarsy_config.loading.load import load_config
from tarsy_contracts.chain import ResolvedAgent

FILES = sorted((Path(__file__).parent / "go_tarsy/configurations").glob("*.yaml"))
KEYS = ("GOOGLE_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "KUBECONFIG", "MONITORING_TOKEN")


def expected(file: Path) -> dict[str, list[str]]:
    """The words behind each heading."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for line in file.read_text("utf-8").splitlines():
        if line.startswith("# "):
            heading, _, words = line.removeprefix("# ").partition(": ")
            found[heading] += [words] if heading == "wrong" else words.split()
    return {**found, "notes": sorted(found["notes"])}


def observed(config: Config, heading: str) -> list[str]:
    kind, _, name = heading.partition(" ")
    chain_id, _, agent = name.partition(".")
    match kind:
        case "notes":
            return sorted(note.path for note in config.notes)
        case "asks":
            found = agent_of(config, chain_id, agent)
            return [found.llm_provider, *found.fallback_providers]
        case "sends":
            plan = next(plan for plan in config.plans if plan.chain_id == chain_id)
            return [plan.sub_agents[key].name for key in agent_of(config, chain_id, agent).sub_agents]
        case "running":
            return [str(agent_of(config, chain_id, agent).sub_agent_limits.max_running)]
        case "tools":
            return [*agent_of(config, chain_id, agent).native_tools]
        case "stages":
            return [stage.name for stage in config.explain(chain_id).stages]
        case "prices":
            return [*config.prices]
        case "thinking":
            return [f"{name}={config.llm_providers[name].thinking}" for name in config.llm_providers]
        case _:
            raise AssertionError(f"nobody knows what {heading} expects")


def agent_of(config: Config, chain_id: str, name: str) -> ResolvedAgent:
    (plan,) = [plan for plan in config.plans if plan.chain_id == chain_id]
    return next(agent for agent in plan.agents() if agent.name == name)


def load(file: Path, folder: Path) -> Config:
    tarsy, _, providers = file.read_text("utf-8").partition("\n---\n")
    (folder / "tarsy.yaml").write_text(tarsy, "utf-8")
    if providers:
        (folder / "llm-providers.yaml").write_text(providers, "utf-8")
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
