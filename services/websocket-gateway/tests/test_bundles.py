"""Modules of the page in one file: each is what it would be alone."""

import json
import re
from collections.abc import Mapping

import pytest
from page_logic.node_process import running_node

from tarsy_websocket_gateway.errors import PageError
from tarsy_websocket_gateway.page_files.assets import PARTS, load_page
from tarsy_websocket_gateway.page_files.bundles import make_bundles
from tarsy_websocket_gateway.page_files.module_scopes import PARAMETERS, to_factory
from tarsy_websocket_gateway.page_files.modules import list_imported_modules

PAGE = load_page()
PARTS_OF_PAGE = {path: asset.body.decode() for path, asset in PAGE.assets.items() if path.endswith(PARTS)}
MODULES = {path: text for path, text in PARTS_OF_PAGE.items() if not path.startswith("bundles/")}
CHANGED = re.compile(r"import|export|sourceMappingURL|^} from|^  [\w$ ]+,$")
CALL = """([bodies, first]) => {
    const made = {};
    const use = (path) => (made[path] ??= new Function("use$", "fetch$", "address$", bodies[path])(
        use, async (path) => use(path), (path) => `at:${path}`));
    return use(first);
}"""


@pytest.mark.parametrize(
    ("modules", "expected"),
    [
        ({"a.js": "export const one = 1;\nexport function two() { return 2; }\nexport class Three {}"}, {"one": 1}),
        ({"a.js": 'import { b as c } from "./b.js";\nexport const d = c;', "b.js": "export const b = 4;"}, {"d": 4}),
        ({"a.js": 'import all from "./b.js";\nexport { all };', "b.js": "export default 5"}, {"all": 5}),
        ({"a.js": 'export { b as c } from "./x/b.mjs";', "x/b.mjs": "const n=6;export{n as b};"}, {"c": 6}),
        ({"x/a.js": 'import * as b from "../b.js";\nexport const c = b.d;', "b.js": "export const d = 7;"}, {"c": 7}),
        ({"a.js": 'import{n as m}from"./b.js";const o=m;export{o as p}', "b.js": "var n=8;export{n};"}, {"p": 8}),
        ({"a.js": 'import {\n  b,\n} from "./b.js";\nexport const c = b;', "b.js": "export const b = 9;"}, {"c": 9}),
        ({"views/a.js": "export const here = import.meta.url;"}, {"here": "at:views/a.js"}),
        ({"a.js": "const use = 1, address = 2;\nexport const both = use + address;"}, {"both": 3}),
    ],
)
def test_each_form_of_import_and_export_gives_what_it_gives_in_a_module(
    modules: Mapping[str, str], expected: Mapping[str, object]
) -> None:
    bodies = {path: to_factory(path, text) for path, text in modules.items()}

    with running_node() as node:
        made = node.evaluate(CALL, [bodies, next(iter(modules))])

    assert {name: made[name] for name in expected} == expected


@pytest.mark.parametrize(
    "text",
    [
        "export let changing = 1;",
        'import "./only_for_what_it_does.js";',
        'export * from "./all.js";',
        "export const { a, b } = c;",
        'var a=1;export*from"./b.js"',
    ],
)
def test_another_form_is_refused_with_its_line(text: str) -> None:
    with pytest.raises(PageError, match=r"views/a\.js:2: "):
        to_factory("views/a.js", f"// first\n{text}" if not text.startswith("var") else f"\n{text}")


def test_no_module_has_a_name_of_the_bundles() -> None:
    names = {name: path for path, text in MODULES.items() for name in PARAMETERS.split(", ") if name in text}

    assert names == {}


def test_no_imports_of_a_module_lead_back_to_it() -> None:
    imports = {path: list_imported_modules(path, MODULES) for path in MODULES if not path.endswith(".css")}

    assert [(path, other) for path, others in imports.items() for other in others if path in imports[other]] == []


def test_a_view_brings_what_the_frame_has_not() -> None:
    bundles = make_bundles(MODULES)

    frame, session = bundles["bundles/main.js"], bundles["bundles/views/session.js"]
    assert '"ui.js": (' in frame
    assert '"ui.js": (' not in session
    assert '"vendor/markdown-it.mjs": (' in session
    assert 'import { add } from "../../bundles/main.js";' in session


def test_only_the_frame_fetches_a_module_later() -> None:
    """A view's bundle cannot: the module would be asked for beside the bundle, where it is not."""
    bundles = make_bundles(MODULES)

    code = {
        path: re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL) for path, text in bundles.items() if path.endswith(".js")
    }
    assert [
        path for path, text in code.items() if "views/" in path and re.search(r"\bimport\(|await fetch\$", text)
    ] == []


def test_a_source_map_names_the_line_of_each_module() -> None:
    bundles = make_bundles(MODULES)

    for path, text in bundles.items():
        if not path.endswith(".js"):
            continue
        source_map, lines = json.loads(bundles[f"{path}.map"]), text.split("\n")
        source = line = named = 0
        for number, mapping in enumerate(source_map["mappings"].split(";")):
            if mapping == "":
                continue
            _, more_sources, more_lines, _ = _read_quantities(mapping)
            source, line, named = source + more_sources, line + more_lines, named + 1
            module = source_map["sources"][source].replace("../", "")
            original = MODULES[module].split("\n")[line]
            if not CHANGED.search(original):
                assert lines[number] == original
        assert named > 100


def _read_quantities(mapping: str) -> list[int]:
    digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    found, value, shift = [], 0, 0
    for one in mapping:
        digit = digits.index(one)
        value, shift = value | (digit & 31) << shift, shift + 5
        if not digit & 32:
            found.append(-(value >> 1) if value & 1 else value >> 1)
            value = shift = 0
    return found
