"""Whatever stands in the files, it is a configuration or has mistakes: nothing else is ever raised."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from tarsy_config.checks.keys import keys_are_set
from tarsy_config.errors import InvalidConfigError
from tarsy_config.loading.load import load_config

KEYS = """\
agents agent_chains defaults queue system limits mcp_servers llm_providers alert_types stages name llm_provider
fallback_providers provider backend replicas synthesis agent type transport command url headers custom_headers env
summarization scoring chat sub_agents script max_iterations iteration_strategy native_tools google_search runbooks
repo_url alert_type A k scripted kubernetes kubernetes-server llm_call fallback_lists fallback_list executive_summary
executive_summary_provider reasoning_effort cost_estimation model_rates enabled prices <<"""
WORDS = """\
A k scripted kubernetes kubernetes-server google-default vertexai action synthesis react stdio http any 5m {{.X}}
{{.UNSET}} {{ tarsy.yaml https://h/mcp http://[ google openai xai"""
VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 3),
    st.floats(allow_nan=True),
    st.text(max_size=5),
    st.sampled_from(WORDS.split()),
)
TREES = st.recursive(
    VALUES,
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(st.sampled_from(KEYS.split()), inside, max_size=4),
    max_leaves=12,
)
RIGHT: dict[str, Any] = {
    "defaults": {"llm_provider": "scripted", "fallback_providers": ["scripted"], "summarization": {}},
    "mcp_servers": {"s": {"transport": {"type": "stdio", "command": "c"}, "summarization": {"enabled": True}}},
    "agents": {"A": {"mcp_servers": ["s"], "native_tools": {"google_search": True}}},
    "agent_chains": {
        "k": {
            "alert_types": ["kubernetes"],
            "chat": {"agent": "A"},
            "stages": [{"name": "s", "replicas": 2, "agents": [{"name": "A"}], "synthesis": {"agent": "A"}}],
        }
    },
    "llm_providers": {"scripted": {"type": "scripted", "script": "tarsy.yaml"}},
    "queue": {"session_timeout": "5m"},
    "system": {"runbooks": {"repo_url": "https://github.com/a/b"}},
}


def load(text: str, providers: str | None = None) -> None:
    with TemporaryDirectory() as folder:
        (Path(folder) / "tarsy.yaml").write_bytes(text.encode("utf-8", "surrogatepass"))
        if providers is not None:
            (Path(folder) / "llm-providers.yaml").write_bytes(providers.encode("utf-8", "surrogatepass"))
        try:
            config = load_config(Path(folder), {"X": "x"}, also=(keys_are_set,))
        except InvalidConfigError as problem:
            assert str(problem)  # noqa: PT017
        else:
            for kind in config.alert_types():
                assert config.chain_for(kind).executive_summary is not None


def places(tree: object, place: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    inside = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    return [place, *(below for key, value in inside for below in places(value, (*place, key)))]


def replaced(tree: Any, place: tuple[str | int, ...], value: object) -> Any:
    if not place:
        return value
    copy: Any = dict(tree) if isinstance(tree, dict) else list(tree)
    copy[place[0]] = replaced(tree[place[0]], place[1:], value)
    return copy


UNHURRIED = settings(deadline=None)
"""The machine may be busy with other tests."""


@UNHURRIED
@given(st.text(alphabet=st.characters(codec="utf-8") | st.sampled_from("{}[]:-&*!<>|%@\"' \n"), max_size=60))
def test_any_text(text: str) -> None:
    load(text, text)


@UNHURRIED
@given(TREES, TREES)
def test_any_data(main: object, providers: object) -> None:
    load(yaml.safe_dump(main), yaml.safe_dump({"llm_providers": providers}))


@settings(UNHURRIED, max_examples=300)
@given(st.sampled_from(places(RIGHT)), TREES)
def test_a_right_configuration_with_anything_in_one_place(place: tuple[str | int, ...], value: object) -> None:
    load(yaml.safe_dump(replaced(RIGHT, place, value)))


def test_what_yaml_itself_stumbles_over() -> None:
    for text in ("a: !!int x", "a: !!float x", "a: !!bool x", "a: !!int ''", "<<: 5", "a: &a {<<: *a}", "[" * 5000):
        load(text)
    load('llm_providers: {scripted: {type: scripted, script: "\\0"}}\n' + yaml.safe_dump({"defaults": {}}))
