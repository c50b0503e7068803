"""The page's modules and styles in few files: all styles, the modules of the frame, and those of each view.

A first visit on a slow network waits for each request, not for its bytes. The modules stay where they are, too: source
maps name them, so developer tools show them, and tests import one alone.
"""

from collections.abc import Iterable, Iterator, Mapping

from tarsy_websocket_gateway.page_files.module_scopes import PARAMETERS, list_lazy_imports, to_factory
from tarsy_websocket_gateway.page_files.modules import list_imported_modules
from tarsy_websocket_gateway.page_files.source_maps import source_map

FOLDER = "bundles/"
FIRST_MODULE = "main.js"
REGISTRY = "registry.js"
MAP_ENDING = ".map"
SCRIPTS = (".js", ".mjs")
COMMON_STYLES = ("tokens.css", "style.css")
VIEWS_STYLES = "styles/"
STYLES = f"{FOLDER}all.css"


def make_bundles(parts: Mapping[str, str]) -> dict[str, str]:
    """Returns the bundles of modules and styles with their maps, by path. Raises PageError."""
    modules = {path: text for path, text in parts.items() if path.endswith(SCRIPTS)}
    styles = sorted(path for path in parts if path.startswith(VIEWS_STYLES))
    bundles = {STYLES: "".join(parts[path] for path in (*COMMON_STYLES, *styles))}
    return bundles | _bundle_modules(modules)


def _bundle_modules(modules: Mapping[str, str]) -> dict[str, str]:
    frame = [*list_imported_modules(FIRST_MODULE, modules), FIRST_MODULE]
    made = dict(_bundle(FIRST_MODULE, frame, modules, [modules[REGISTRY]], f'use("{FIRST_MODULE}");'))
    for view in sorted({view for path in frame for view in list_lazy_imports(path, modules[path])}):
        more = [path for path in [*list_imported_modules(view, modules), view] if path not in frame]
        registry = f'import {{ add }} from "{_to_root(FOLDER + view)}{FOLDER}{FIRST_MODULE}";'
        made.update(_bundle(view, more, modules, [registry], ""))
    return made


def _bundle(
    first: str, paths: Iterable[str], modules: Mapping[str, str], head: Iterable[str], end: str
) -> Iterator[tuple[str, str]]:
    path = f"{FOLDER}{first}"
    lines = [*"\n".join(head).split("\n"), "add({"]
    origins: list[tuple[int, int] | None] = [None] * len(lines)
    sources: list[str] = []
    for source in paths:
        body = to_factory(source, modules[source]).split("\n")
        lines += [f'"{source}": ({PARAMETERS}) => {{', *body, "},"]
        origins += [None, *((len(sources), number) for number in range(len(body) - 1)), None, None]
        sources.append(f"{_to_root(path)}{source}")
    lines += ["});", end, f"//# sourceMappingURL={first.rpartition('/')[2]}{MAP_ENDING}"]
    yield path, "\n".join(lines) + "\n"
    yield f"{path}{MAP_ENDING}", source_map(path, sources, origins)


def _to_root(path: str) -> str:
    return "../" * path.count("/")
