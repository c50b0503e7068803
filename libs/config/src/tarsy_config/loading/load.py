"""Reading the configuration: `tarsy.yaml`, and `llm-providers.yaml` where there is one."""

from collections.abc import Callable, Mapping, Sequence, Set
from pathlib import Path

from pydantic import Field

from tarsy_config.checks.cross_checks import check_coherence
from tarsy_config.checks.go_tarsy_compat import strip_unsupported
from tarsy_config.checks.native_tools import note_lacking_native_tools
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
from tarsy_config.sections import built_in
from tarsy_config.sections.all_sections import SKILL_FOLDERS
from tarsy_config.sections.providers import LlmProvider
from tarsy_config.skills.skill_reader import read_skills
from tarsy_config.values import Name, Section

MAIN = "tarsy.yaml"
PROVIDERS = "llm-providers.yaml"
BUILT_IN: Mapping[str, frozenset[str]] = {
    "mcp_servers": frozenset(built_in.SERVERS),
    "agents": frozenset(built_in.AGENTS),
    "agent_chains": frozenset(built_in.CHAINS),
    "llm_providers": frozenset(built_in.PROVIDERS),
    "fallback_lists": frozenset(),
    "label_maps": frozenset(built_in.LABEL_MAPS),
    "skills": frozenset(),
}


class ProvidersFile(Section):
    llm_providers: dict[Name, LlmProvider] = Field(default_factory=dict)


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
    if (config_dir / PROVIDERS).exists():
        documents.append(Document(config_dir / PROVIDERS, environ))
    for document in documents:
        strip_unsupported(document)
    skills = read_skills(config_dir, _skill_folders(documents[0]))
    config = check(documents[0], Config) if documents[0].readable else None
    providers = [check(document, ProvidersFile) for document in documents[1:] if document.readable]
    _check_names(documents, skills.skills.keys())
    check_required_skills(documents[0])
    note_missing_folders(documents[0], config_dir)
    for document in documents:
        _check_scripts(document, config_dir)
    if config is None or skills.mistakes or any(document.mistakes for document in documents):
        raise _invalid(documents, skills.mistakes)
    more = {name: one for file in providers if file is not None for name, one in file.llm_providers.items()}
    whole = merge(config, more, documents, config_dir, environ, skills)
    plans = whole.plans
    check_skill_sizes(documents[0], whole, plans)
    whole = whole.with_more_notes([*note_unread_skills(whole, plans), *note_lacking_native_tools(whole)])
    for each in also:
        each(documents, whole, environ)
    if any(document.mistakes for document in documents):
        raise _invalid(documents)
    return whole


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
