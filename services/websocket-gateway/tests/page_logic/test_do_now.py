"""What of an analysis is to be done now."""

import pytest

from page_logic.node_process import PAGE, Node

MODULE = f"{PAGE}/state/do_now.js"
FENCED = """\
## Root cause

Release **v2** of `checkout`.

## What to do now

1. Roll back, which takes
   a minute: `kubectl -n shop rollout undo deploy/checkout`. Risk: none.
2. Look again.

   ```bash
   # once more
   $ kubectl -n shop get pods \\
       -l app=checkout
   helm -n shop history checkout
   ```

## How to prevent it

- `kubectl` should not be needed.
"""


def steps_to_do(node: Node, analysis: str) -> list[tuple[str, list[str]]]:
    script = "async ([path, text]) => (await import(path)).stepsToDo(text)"
    return [(one["text"], one["commands"]) for one in node.evaluate(script, [MODULE, analysis])]


def test_steps_have_their_commands_of_the_text_and_of_blocks(node: Node) -> None:
    undo = "kubectl -n shop rollout undo deploy/checkout"
    assert steps_to_do(node, FENCED) == [
        (f"Roll back, which takes a minute: `{undo}`. Risk: none.", [undo]),
        ("Look again.", ["kubectl -n shop get pods -l app=checkout", "helm -n shop history checkout"]),
    ]


@pytest.mark.parametrize(
    ("analysis", "texts"),
    [
        ("## What to do\n\nRoll back.\nNow.\n\nThen look.\n# Open\nNothing.", ["Roll back. Now.", "Then look."]),
        ("1. **Cause**: x.\n3. **What to do now**: restart it.\n   - Wait.\n4. **Open**: x", ["restart it.", "Wait."]),
        ("**Still to do**\n- See [call 3].\n**Open**\n- x", ["See [call 3]."]),
        ("### Next steps:\n* One\n* Two", ["One", "Two"]),
    ],
)  # fmt: skip
def test_the_section_is_found_as_models_write_it(node: Node, analysis: str, texts: list[str]) -> None:
    assert [text for text, _ in steps_to_do(node, analysis)] == texts


@pytest.mark.parametrize("analysis", ["", "It was DNS.", "What to do now is not known.", "## What to do\n\n## Open"])
def test_an_analysis_that_does_not_say_it_has_no_step(node: Node, analysis: str) -> None:
    assert steps_to_do(node, analysis) == []


def test_data_is_no_command(node: Node) -> None:
    analysis = "## Do now\n\n1. Apply `replicas: 3` with `kubectl`.\n```yaml\nreplicas: 3\n```\n"
    assert [commands for _, commands in steps_to_do(node, analysis)] == [[]]


@pytest.mark.parametrize(
    "long", ["# " * 200_000, "`" * 200_000, "1. " * 100_000, "\n".join(["- `kubectl x`"] * 20_000)]
)
def test_a_long_text_takes_no_longer_than_its_length_and_gives_few_rows(node: Node, long: str) -> None:
    steps = steps_to_do(node, f"## What to do now\n{long}")
    assert len(steps) <= 8
    assert sum(len(commands) for _, commands in steps) <= 12
