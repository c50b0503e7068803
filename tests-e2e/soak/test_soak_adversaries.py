"""The adversaries of a soak: endless answers, hostile servers, and the configuration in which they come and go."""

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from tarsy_config.loading.load import load_config
from tarsy_soak.configuration import SoakConfiguration, endless_provider, server_name
from tarsy_soak.endless_answers import ENDLESS_ANSWERS
from tarsy_soak.hostile_server import DEPTH, GARBAGE_LINES, HOSTILE_KINDS, MANY_TOOLS, PLANTED, TOOL, respond
from tarsy_soak.leaks import SecretSearch

ROOT = Path(__file__).parents[2]
LIST = {"jsonrpc": "2.0", "id": 7, "method": "tools/list"}
CALL = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": TOOL}}


def deltas(kind: str, pieces: int) -> Iterator[dict[str, object]]:
    for piece in islice(ENDLESS_ANSWERS[kind](), pieces):
        yield json.loads(piece.removeprefix(b"data: "))["choices"][0]["delta"]


@pytest.mark.parametrize("kind", ENDLESS_ANSWERS)
def test_an_endless_answer_goes_on(kind: str) -> None:
    assert len(list(islice(ENDLESS_ANSWERS[kind](), 10_000))) == 10_000


def test_new_words_are_new_and_one_word_is_one() -> None:
    new = "".join(str(delta["content"]) for delta in deltas("new-words", 100)).split()
    one = "".join(str(delta["content"]) for delta in deltas("one-word", 100)).split()
    assert (len(set(new)), len(set(one))) == (1_600, 1)


def test_thoughts_and_arguments_come_without_a_text() -> None:
    assert {key for delta in deltas("thoughts", 50) for key in delta} == {"reasoning_content"}
    assert {key for delta in deltas("arguments", 50) for key in delta} == {"tool_calls"}


def test_comments_are_no_event() -> None:
    assert {piece[:1] for piece in islice(ENDLESS_ANSWERS["comments"](), 50)} == {b":"}


def test_each_hostile_server_is_hostile_in_its_own_way() -> None:
    (many,) = respond("many-tools", LIST)
    (huge,) = respond("huge-schemas", LIST)
    (deep,) = respond("deep-tool", LIST)
    (wrong,) = respond("wrong-id", CALL)
    (surrogate,) = respond("lone-surrogate", CALL)
    assert len(json.loads(many)["result"]["tools"]) == MANY_TOOLS
    assert len(huge) > 1_000_000
    assert deep.count("{") > DEPTH
    assert json.loads(wrong)["id"] != 7
    assert "\\ud83d" in surrogate
    assert len(list(respond("garbage-lines", LIST))) == GARBAGE_LINES + 1
    assert len(list(islice(respond("endless-result", CALL), 100))) == 100


@pytest.mark.parametrize("kind", HOSTILE_KINDS)
def test_every_hostile_server_begins_as_others_do(kind: str) -> None:
    (begun,) = respond(kind, {"jsonrpc": "2.0", "id": 1, "method": "initialize"})
    assert json.loads(begun)["result"]["serverInfo"]


def test_hostile_servers_come_into_a_valid_configuration_and_go(tmp_path: Path) -> None:
    configuration = SoakConfiguration(ROOT / "config", tmp_path, tmp_path / "calls", "http://127.0.0.1:1/v1")
    hostile = {server_name(kind) for kind in HOSTILE_KINDS}
    configuration.write(tuple(HOSTILE_KINDS))
    config = load_config(tmp_path, {})
    assert hostile < set(config.mcp_servers)
    assert {endless_provider(kind) for kind in ENDLESS_ANSWERS} < set(config.llm_providers)
    configuration.write()
    assert not hostile & set(load_config(tmp_path, {}).mcp_servers)


def test_a_secret_is_found_in_a_record_and_in_a_log_and_never_named(tmp_path: Path) -> None:
    search = SecretSearch([PLANTED, 'with "quotes"'])
    search.look("tarsy.results", json.dumps({"a": 'with "quotes"'}).encode())
    (tmp_path / "gateway.log").write_text(f"fine\nbad {PLANTED}\nbad {PLANTED}\n", encoding="utf-8")
    search.look_into(tmp_path)
    assert list(search.faults()) == [
        "planted secrets in gateway.log: 2 times",
        "planted secrets in tarsy.results: 1 times",
    ]
