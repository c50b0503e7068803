"""`label_maps` are checked whole, and become the labels of a plan."""

from pathlib import Path

import pytest

from tarsy_config.errors import InvalidConfigError
from tarsy_config.loading.load import load_config
from tarsy_contracts.chain import LabelRule

REST = """\
agents: {A: {}}
llm_providers: {s: {type: scripted, script: s.yaml}}
label_maps:
  paging: {multi: true, labels: [{label: page, description: now}, {label: noise}]}
"""


def labels_of(folder: Path, defaults: str, chain: str, rest: str = REST) -> LabelRule | None:
    (folder / "s.yaml").write_text("[]", "utf-8")
    text = f"""{rest}defaults: {{llm_provider: s{defaults}}}
agent_chains: {{k: {{alert_types: [kubernetes]{chain}, stages: [{{name: a, agents: [{{name: A}}]}}]}}}}
"""
    (folder / "tarsy.yaml").write_text(text, "utf-8")
    config = load_config(folder, {})
    return config.labels_of(config.agent_chains["k"])


@pytest.mark.parametrize(
    ("defaults", "chain", "labels"),
    [
        ("", "", None),
        (", label_map: paging", "", ["page", "noise"]),
        (", label_map: paging", ", label_map: builtin", ["action", "watch", "noise"]),
        (", label_map: paging", ', label_map: ""', None),
        ("", ", label_map: paging", ["page", "noise"]),
    ],
)
def test_the_map_of_a_chain_wins_and_an_empty_name_is_none(
    tmp_path: Path, defaults: str, chain: str, labels: list[str] | None
) -> None:
    rule = labels_of(tmp_path, defaults, chain)
    assert (None if rule is None else [one.label for one in rule.labels]) == labels


@pytest.mark.parametrize(
    ("wrong", "mistake"),
    [
        ("  paging: {labels: []}", "label_maps.paging.labels"),
        ('  paging: {labels: [{label: "a, b"}]}', "tarsy.yaml:4: label_maps.paging.labels[0].label"),
        ("  paging: {labels: [{label: a}, {label: A}]}", "label_maps.paging.labels"),
        ("  pagin: {labels: [{label: a}]}", "label_maps has no paging"),
    ],
)
def test_a_mistake_is_told_with_its_line(tmp_path: Path, wrong: str, mistake: str) -> None:
    rest = "\n".join((*REST.splitlines()[:3], wrong, ""))
    with pytest.raises(InvalidConfigError) as caught:
        labels_of(tmp_path, ", label_map: paging", "", rest)
    assert mistake in str(caught.value)
