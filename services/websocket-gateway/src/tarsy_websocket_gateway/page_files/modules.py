"""Which modules a module of the page needs before it runs."""

import posixpath
import re
from collections.abc import Iterator, Mapping

IMPORT = re.compile(
    r"""^(?:import|export)\b[^;"']*?from\s*["'](\.[^"']+)["']|(?<=[;}])(?:im|ex)port[^;"']*?from["'](\.[^"']+)["']""",
    re.M,
)
"""An import at the top of a module of ours, or in a vendored one, which has no line breaks. `import(...)` is none."""


def list_imported_modules(first: str, modules: Mapping[str, str]) -> list[str]:
    """The paths of all that `first` imports, itself left out, in the order in which they are found."""
    found = {first: None}
    waiting = [first]
    while waiting:
        for path in _list_imports(waiting.pop(0), modules):
            if path not in found and path in modules:
                found[path] = None
                waiting.append(path)
    return [path for path in found if path != first]


def _list_imports(path: str, modules: Mapping[str, str]) -> Iterator[str]:
    for own, vendored in IMPORT.findall(modules[path]):
        yield posixpath.normpath(posixpath.join(posixpath.dirname(path), own or vendored))
