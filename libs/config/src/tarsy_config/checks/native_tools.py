"""Native tools that somebody switched on for a model that has them not."""

from collections.abc import Iterator

from tarsy_config.config import Config
from tarsy_config.errors import Note
from tarsy_config.plans.chain_settings import ChainSettings
from tarsy_config.sections.agent_options import AgentSettings


def note_lacking_native_tools(config: Config) -> list[Note]:
    """Returns those of the files: built-in agents are for providers of any kind. They stand in each session, too."""
    chains = [config.explain(chain_id) for chain_id in config.agent_chains]
    notes = [note for chain in chains for agent in _agents(chain) for note in _notes(config, agent)]
    return list(dict.fromkeys(notes))


def _agents(chain: ChainSettings) -> Iterator[AgentSettings]:
    for stage in chain.stages:
        yield from stage.agents
        if stage.synthesis is not None:
            yield stage.synthesis
    yield chain.chat
    yield from chain.sub_agents.values()


def _notes(config: Config, agent: AgentSettings) -> Iterator[Note]:
    name = agent.llm_provider.value
    for found in agent.lacking_native_tools:
        if found.origin.kind == "file":
            model = config.llm_providers[name].model or config.llm_providers[name].type
            sentence = f"has no effect with {name}: {model} has no {found.value}"
            yield Note(found.origin.file, found.origin.line, found.origin.path, sentence)
