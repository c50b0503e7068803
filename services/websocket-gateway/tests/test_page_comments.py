"""Comments of the page's modules, which are not sent."""

from pathlib import Path

import pytest
from page_texts import Literals, read_code

from tarsy_websocket_gateway.page_files.comments import empty_comments

PAGE = Path(__file__).parents[1] / "src/tarsy_websocket_gateway/page"
OWN = sorted(PAGE.rglob("*.js"))


@pytest.mark.parametrize(
    ("source", "sent"),
    [
        ("// one\nlet a;\n", "\nlet a;\n"),
        ("/** one\n *  two */\nlet a;\n", "\n\nlet a;\n"),
        ("let a = b; // one\n", "let a = b; // one\n"),
        ("const a =\n  /** @type {A} */ (b);\n/** two */\n", "const a =\n  /** @type {A} */ (b);\n\n"),
        ('let a = "https://x";\n', 'let a = "https://x";\n'),
    ],
)
def test_comments_on_lines_of_their_own_become_empty_lines(source: str, sent: str) -> None:
    assert empty_comments(source) == sent


@pytest.mark.parametrize("path", OWN, ids=lambda path: path.relative_to(PAGE).as_posix())
def test_no_text_of_a_module_is_taken_for_a_comment(path: Path) -> None:
    source = path.read_text("utf-8")
    before, after = Literals(), Literals()
    read_code(source, 0, before)
    read_code(empty_comments(source), 0, after)
    assert after == before
