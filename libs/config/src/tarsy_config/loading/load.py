"""Reading the configuration: `tarsy.yaml`, and `llm-providers.yaml` and `prices.yaml` where they are."""

from collections.abc import Callable, Mapping, Sequence, Set
from pathlib import Path

from pydantic import Field

from tarsy_config.checks.cross_checks import check_coherence
from tarsy_config.checks.go_tarsy_compat import strip_unsupported
from tarsy_config.checks.native_tools import note_lacking_native_tools
from tarsy_config.checks.prices import note_unpriced_models
from tarsy_config.checks.references import check_references
from tarsy_config.checks.skills import (
    check_required_skills,
    check_skill_sizes,
    note_missing_folders,
    note_unread_skills,
)
from tarsy_config.config import Config
from tarsy_config.document.key_paths import ANY, find_names, find_values
from tarsy_config.document.plain_data import Document
from tarsy_config.errors import InvalidConfigError, Mistake, format_path
from tarsy_config.loading.checking import check
from tarsy_config.loading.merging import merge
from tarsy_config.loading.price_lists import read_price_lists
from tarsy_config.sections import built_in
from tarsy_config.sections.all_sections import SKILL_FOLDERS
from tarsy_config.sections.prices import ConfiguredPrice
from tarsy_config.sections.providers import LlmProvider
from tarsy_config.skills.skill_reader import read_skills
from tarsy_config.values import Name, Section

MAIN = "tarsy.yaml"
PROVIDERS = "llm-providers.yaml"
PRICES = "prices.yaml"
BUILT_IN: Mapping[str, frozenset[str]] = {
    "mcp_servers": frozenset(built_in.SERVERS),
    "agents": frozenset(built_in.AGENTS),
    "agent_chains": frozenset(built_in.CHAINS),
    "llm_providers": frozenset(built_in.PROVIDERS),
    "fallback_lists": frozenset(),
    "label_maps": frozenset(built_in.LABEL_MAPS),
    "prices": frozenset(),
    "skills": frozenset(),
}


class ProvidersFile(Section):
    llm_providers: dict[Name, LlmProvider] = Field(default_factory=dict)


class PricesFile(Section):
    prices: dict[Name, ConfiguredPrice] = Field(default_factory=dict)


OTHERS: Mapping[str, type[ProvidersFile | PricesFile]] = {PROVIDERS: ProvidersFile, PRICES: PricesFile}
"""Files that are read beside `tarsy.yaml` where they are."""


type Check = Callable[[Sequence[Document], Config, Mapping[str, str]], None]
"""Notes more mistakes in the documents. `Config` is whole: only mistakes of other checks may be in it."""


def load_config(
    config_dir: Path, environ: Mapping[str, str], *, also: Sequence[Check] = (), main_file: str = MAIN
) -> Config:
    """Reads and checks everything. `environ` fills the templates `{{.NAME}}`, and has the keys of LLM providers.

    `also`: what only some services need, such as `keys_are_set`. Raises InvalidConfigError with all the mistakes of all
    files.
    """
    documents = [Document(config_dir / main_file, environ)]
    documents += [Document(config_dir / name, environ) for name in OTHERS if (config_dir / name).exists()]
    for document in documents:
        strip_unsupported(document)
    skills = read_skills(config_dir, _skill_folders(documents[0]))
    config = check(documents[0], Config) if documents[0].readable else None
    others = [check(document, OTHERS[document.name]) for document in documents[1:] if document.readable]
    _check_names(documents, skills.skills.keys())
    check_required_skills(documents[0])
    note_missing_folders(documents[0], config_dir)
    listed = {} if config is None else read_price_lists(documents[0], config.price_lists, config_dir)
    for document in documents:
        _check_scripts(document, config_dir)
    if config is None or skills.mistakes or any(document.mistakes for document in documents):
        raise _invalid(documents, skills.mistakes)
    config = config.model_copy(update=_more_entries(config, others)).with_listed_prices(listed)
    whole = merge(config, documents, config_dir, environ, skills)
    plans = whole.plans
    check_skill_sizes(documents[0], whole, plans)
    notes = [
        *note_unread_skills(whole, plans),
        *note_lacking_native_tools(whole),
        *note_unpriced_models(documents, whole, plans),
    ]
    whole = whole.with_more_notes(notes)
    for each in also:
        each(documents, whole, environ)
    if any(document.mistakes for document in documents):
        raise _invalid(documents)
    return whole


def _more_entries(config: Config, others: Sequence[ProvidersFile | PricesFile | None]) -> dict[str, object]:
    """Sections of the configuration with what the other files add to them."""
    providers, prices = dict(config.llm_providers), dict(config.prices)
    for file in others:
        match file:
            case ProvidersFile():
                providers |= file.llm_providers
            case PricesFile():
                prices |= file.prices
            case None:
                pass
    return {"llm_providers": providers, "prices": prices}


def _invalid(documents: Sequence[Document], of_skills: Sequence[Mistake] = ()) -> InvalidConfigError:
    return InvalidConfigError(
        [m for document in documents for m in sorted(document.mistakes, key=lambda m: m.line or 0)] + [*of_skills]
    )


def _skill_folders(document: Document) -> tuple[str, ...]:
    """Read before the models are, so that a mistake elsewhere does not hide those of skills."""
    named = tuple(name for _, name in find_names(document, (("skill_folders", ANY),)))
    return named or SKILL_FOLDERS


def _check_names(documents: Sequence[Document], skills: Set[str]) -> None:
    """References cross files: they are checked only when every file could be read."""
    known: dict[str, set[str]] = {section: set() for section in BUILT_IN}
    known["skills"] |= skills
    for document in documents:
        for section in BUILT_IN:
            for path, _ in find_values(document.data, (section, ANY)):
                name = str(path[1])
                if name in known[section] and document is not documents[0]:
                    document.wrong(path, f"is defined in {documents[0].name} already", "keep one of them")
                known[section].add(name)
    if all(document.readable for document in documents):
        check_references(documents[0], known, BUILT_IN)
        check_coherence(documents[0], known["agents"] | BUILT_IN["agents"])


def _check_scripts(document: Document, config_dir: Path) -> None:
    one, several = ("llm_providers", ANY, "script"), ("llm_providers", ANY, "script", ANY)
    for path, script in (*find_values(document.data, one), *find_values(document.data, several)):
        if isinstance(script, str) and not (config_dir / script).is_file():
            problem = f"there is no file {script}"
            document.wrong(path, problem, f"{format_path(path[-1:])} is a path from the folder of {document.name}")
