"""Models without a price, for which a limit of money does not hold."""

from collections.abc import Iterator, Sequence

from tarsy_config.config import Config
from tarsy_config.document.plain_data import Document
from tarsy_config.errors import KeyPath, Note, format_path
from tarsy_contracts.chain import ResolvedAgent, ResolvedChain

SENTENCE = "no price is known of {model}: limits of money do not hold for it ({chains}); add it to prices"


def note_unpriced_models(documents: Sequence[Document], config: Config, plans: Sequence[ResolvedChain]) -> list[Note]:
    """`plans`: those of the configuration."""
    prices, chains = config.model_prices, _chains_by_provider(config, plans)
    return [
        _note(documents, ("llm_providers", name), SENTENCE.format(model=one.model, chains=", ".join(chains[name])))
        for name, one in config.llm_providers.items()
        if name in chains and one.model and one.model not in prices
    ]


def _chains_by_provider(config: Config, plans: Sequence[ResolvedChain]) -> dict[str, list[str]]:
    """Providers that a limit of money is about, each with the chains that may ask them."""
    days = config.system.budgets
    of_all = any(one is not None and one.money for one in (days.day, *days.teams.values()))
    found: dict[str, list[str]] = {}
    for plan in plans:
        scoped = days.chains.get(plan.chain_id)
        limited = of_all or bool(plan.budget.money or (scoped is not None and scoped.money))
        for provider in dict.fromkeys(_providers(plan, limited)):
            found.setdefault(provider, []).append(plan.chain_id)
    return found


def _providers(plan: ResolvedChain, limited: bool) -> Iterator[str]:
    """An agent with a limit of its own has sub-agents that count to it: then all of the chain are looked at."""
    agents: list[ResolvedAgent] = list(plan.agents())
    if limited or any(agent.budget.money for agent in agents):
        for agent in agents:
            yield from (agent.llm_provider, *agent.fallback_providers)
        if plan.summary_llm_provider:
            yield plan.summary_llm_provider


def _note(documents: Sequence[Document], path: KeyPath, sentence: str) -> Note:
    """One that is built in is of no file."""
    written = next((document for document in documents if path in document.lines), None)
    first = documents[0] if written is None else written
    return Note(first.name, first.nearest_line(path), format_path(path), sentence)
