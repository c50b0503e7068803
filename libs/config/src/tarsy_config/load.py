"""Reading the configuration: `tarsy.yaml`, and `llm-providers.yaml` where there is one."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from pydantic import Field

from tarsy_config.checking import check
from tarsy_config.config import Config
from tarsy_config.document import Document
from tarsy_config.mistakes import ConfigInvalid, written
from tarsy_config.providers import LlmProvider
from tarsy_config.references import ANY, check_references, found
from tarsy_config.values import Name, Section

MAIN = "tarsy.yaml"
PROVIDERS = "llm-providers.yaml"
SECTIONS = ("mcp_servers", "agents", "llm_providers")


class ProvidersFile(Section):
    llm_providers: dict[Name, LlmProvider] = Field(default_factory=dict)


type Check = Callable[[Sequence[Document], Config, Mapping[str, str]], None]
"""Notes more mistakes in the documents. `Config` is whole: only mistakes of other checks may be in it."""


def load_config(config_dir: Path, environ: Mapping[str, str], *, also: Sequence[Check] = ()) -> Config:
    """Reads and checks everything. `environ` fills the templates `{{.NAME}}`, and has the keys of LLM providers.

    `also`: what only some services need, such as `keys_are_set`. Raises ConfigInvalid with all the mistakes of all
    files.
    """
    main = Document(config_dir / MAIN, environ)
    documents = [main]
    config = check(main, Config) if main.readable else None
    providers: ProvidersFile | None = ProvidersFile()
    if (config_dir / PROVIDERS).exists():
        documents.append(Document(config_dir / PROVIDERS, environ))
        providers = check(documents[1], ProvidersFile) if documents[1].readable else None
    _check_names(documents)
    for document in documents:
        _check_scripts(document, config_dir)
    merged = _merged(config, providers, config_dir, environ) if config is not None and providers is not None else None
    for each in also:
        if merged is not None:
            each(documents, merged, environ)
    mistakes = [m for document in documents for m in sorted(document.mistakes, key=lambda m: m.line or 0)]
    if mistakes or merged is None:
        raise ConfigInvalid(mistakes)
    return merged


def _check_names(documents: list[Document]) -> None:
    """References cross files: they are checked only when every file could be read."""
    known: dict[str, set[str]] = {section: set() for section in SECTIONS}
    for document in documents:
        for section in SECTIONS:
            for place, _ in found(document.data, (section, ANY)):
                name = str(place[1])
                if name in known[section] and document is not documents[0]:
                    document.wrong(place, f"is defined in {MAIN} already", "keep one of them")
                known[section].add(name)
    if all(document.readable for document in documents):
        check_references(documents[0], known)


def _check_scripts(document: Document, config_dir: Path) -> None:
    one, several = ("llm_providers", ANY, "script"), ("llm_providers", ANY, "script", ANY)
    for place, script in (*found(document.data, one), *found(document.data, several)):
        if isinstance(script, str) and not (config_dir / script).is_file():
            problem = f"there is no file {script}"
            document.wrong(place, problem, f"{written(place[-1:])} is a path from the folder of {document.name}")


def _merged(config: Config, providers: ProvidersFile, config_dir: Path, environ: Mapping[str, str]) -> Config:
    both = config.llm_providers | providers.llm_providers
    complete = {name: _placed(provider, config_dir).completed(environ) for name, provider in both.items()}
    return config.model_copy(update={"llm_providers": complete})


def _placed(provider: LlmProvider, config_dir: Path) -> LlmProvider:
    return provider.model_copy(update={"script": tuple((config_dir / script).resolve() for script in provider.script)})
