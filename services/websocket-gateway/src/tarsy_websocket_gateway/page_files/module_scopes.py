"""A module of the page as a function, so that many fit into one file and none sees the names of another.

It gets `use$` (another module's exports), `fetch$` (those of a view's module, once its bundle is there) and `address$`
(that of a file of the page); no module ends a name so. No module's imports lead back to it, and none exports what it
assigns later: so what it reads of others when it is called is what it would have imported.
"""

import posixpath
import re

from tarsy_websocket_gateway.errors import PageError

IMPORT = re.compile(
    r"""(?:^|(?<=;))import\s*(?:\*\s*as\s+(?P<all>[\w$]+)|(?P<default>[\w$]+))?\s*,?\s*(?P<names>\{[^}]*\})?"""
    r"""\s*from\s*["'](?P<path>\.[^"']+)["'];?""",
    re.MULTILINE,
)
LAZY_IMPORT = re.compile(r"""\bawait import\(["'](?P<path>\.[^"']+)["']\)""")
DECLARED = re.compile(r"^export (?=(?:const|class|function\*?|async function) (?P<name>[\w$]+))", re.MULTILINE)
LISTED = re.compile(
    r"""(?:^|(?<=[;}]))export\s*(?P<names>\{[^}]*\})(?:\s*from\s*["'](?P<path>\.[^"']+)["'])?;?""", re.MULTILINE
)
DEFAULT = re.compile(r"(?:^|(?<=[;}]))export default ", re.MULTILINE)
LEFT_OVER = re.compile(r"^(?:im|ex)port\b(?!\()|(?<=[;}])(?:im|ex)port\s*[{*]", re.MULTILINE)
SOURCE_MAP = re.compile(r"//# sourceMappingURL=\S+")
PARAMETERS = "use$, fetch$, address$"
DEFAULT_NAME = "default$"


def to_factory(path: str, source: str) -> str:
    """Its body, a line longer than `source`, whose lines stay where they are. Raises PageError."""
    exports: dict[str, str] = {}

    def take_list(found: re.Match[str]) -> str:
        owner = f"{_use(path, found)}." if found["path"] else ""
        exports.update((outer, f"{owner}{local}") for local, outer in _read_names(found["names"]))
        return "\n" * found[0].count("\n")

    def take_declaration(found: re.Match[str]) -> str:
        exports[found["name"]] = found["name"]
        return ""

    def take_default(_: re.Match[str]) -> str:
        exports["default"] = DEFAULT_NAME
        return f"const {DEFAULT_NAME} = "

    body = IMPORT.sub(lambda found: _to_constants(path, found), source)
    body = LAZY_IMPORT.sub(lambda found: f'await fetch$("{_resolve(path, found["path"])}")', body)
    for form, replacement in ((DECLARED, take_declaration), (LISTED, take_list), (DEFAULT, take_default)):
        body = form.sub(replacement, body)
    if (left := LEFT_OVER.search(body)) is not None:
        line = body.count("\n", 0, left.start()) + 1
        raise PageError(f"{path}:{line}: this form of import or export has no place in a bundle")
    body = SOURCE_MAP.sub("", body).replace("import.meta.url", f'address$("{path}")').rstrip("\n")
    given = ", ".join(f"{outer}: {inner}" for outer, inner in exports.items())
    return f"{body}\nreturn {{ {given} }};"


def list_lazy_imports(path: str, source: str) -> list[str]:
    """The modules that it fetches only when it needs them."""
    return [_resolve(path, found["path"]) for found in LAZY_IMPORT.finditer(source)]


def _to_constants(path: str, found: re.Match[str]) -> str:
    names = [("default", found["default"])] if found["default"] else []
    names += [(outer, local) for outer, local in _read_names(found["names"] or "{}")]
    local = found["all"] or f"{{ {', '.join(f'{outer}: {local}' for outer, local in names)} }}"
    return f"const {local} = {_use(path, found)};" + "\n" * found[0].count("\n")


def _use(path: str, found: re.Match[str]) -> str:
    return f'use$("{_resolve(path, found["path"])}")'


def _resolve(path: str, name: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), name))


def _read_names(braces: str) -> list[tuple[str, str]]:
    """Reads `{ a, b as c }`: a and a, b and c."""
    pairs = [one.split(" as ") for one in braces.strip("{}").split(",") if one.strip()]
    return [(pair[0].strip(), pair[-1].strip()) for pair in pairs]
