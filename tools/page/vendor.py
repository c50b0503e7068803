"""Copies what the page needs of others from `tools/page/node_modules` into the page's `vendor` folder.

`npm ci` checks each package by the digest of `package-lock.json`. The one change made here: a module names others by
their file, as the browser knows no packages.
"""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
MODULES = HERE / "node_modules"
PAGE = HERE.parent.parent / "services/websocket-gateway/src/tarsy_websocket_gateway/page"
SOURCES = {
    "preact.mjs": "preact/dist/preact.mjs",
    "preact-hooks.mjs": "preact/hooks/dist/hooks.mjs",
    "signals-core.mjs": "@preact/signals-core/dist/signals-core.mjs",
    "signals.mjs": "@preact/signals/dist/signals.mjs",
    "htm.mjs": "htm/dist/htm.mjs",
}
LICENCES = {
    "preact.LICENSE.txt": "preact/LICENSE",
    "signals.LICENSE.txt": "@preact/signals/LICENSE",
    "htm.LICENSE.txt": "htm/LICENSE",
}
NAMES = {
    "preact": "./preact.mjs",
    "preact/hooks": "./preact-hooks.mjs",
    "@preact/signals-core": "./signals-core.mjs",
}


def vendored_files(modules: Path = MODULES) -> dict[str, bytes]:
    """The files by name. Raises OSError when the packages are not installed."""
    code = {name: _with_files_named((modules / source).read_text("utf-8")) for name, source in SOURCES.items()}
    return code | {name: (modules / source).read_bytes() for name, source in LICENCES.items()}


def _with_files_named(module: str) -> bytes:
    lines = [line for line in module.splitlines() if not line.startswith("//# sourceMappingURL")]
    text = "\n".join(lines) + "\n"
    for package, file in NAMES.items():
        text = text.replace(f'from"{package}"', f'from"{file}"')
    return text.encode()


def main() -> None:
    for name, content in vendored_files().items():
        (PAGE / "vendor" / name).write_bytes(content)
        sys.stdout.write(f"{name}\n")


if __name__ == "__main__":
    main()
