"""`tarsy dead-letters`: what is listed, shown and re-driven, as the timeline's own answers tell it."""

import base64
import json
from datetime import UTC, datetime

import pytest
from aiokafka import ConsumerRecord
from pydantic import JsonValue
from typer.testing import CliRunner, Result

from tarsy_bus.dead_letters.letter_index import DeadLetter, LastRedrive
from tarsy_bus.dead_letters.parsing import Burial
from tarsy_cli import api as client
from tarsy_cli.app import cli
from tarsy_cli.dead_letters import redriving
from tarsy_cli.dead_letters.letter_ids import UnclearLetterError, begin_of
from tarsy_contracts.api.dead_letters import DeadLetterList, DeadLetterRaw, RedriveAnswer, Redriven
from tarsy_timeline.api.dead_letters import responses

URL = "http://127.0.0.1:1"
ONE, TWO = "331ab85e-268a-5a26-9533-de21a57501a1", "431ab85e-268a-5a26-9533-de21a57501a1"
BURIAL = Burial("tarsy.alerts", 1, 7, 0, 3, 1_700_000_000_000, "no\x1b[2J alert", 9, "ingest", 1_600_000_000_000, 2)
LETTER = DeadLetter(ONE, BURIAL, BURIAL, LastRedrive(1, 1_700_000_000_000, "ann"))


def run(monkeypatch: pytest.MonkeyPatch, answers: dict[str, JsonValue], *arguments: str) -> tuple[Result, list[str]]:
    """The answers by the ends of addresses; returns what was asked for, too."""
    asked: list[str] = []

    def answer(
        method: str, url: str, *, params: object = None, body: JsonValue = None, headers: object = None
    ) -> JsonValue:
        asked.append(f"{method} {url.removeprefix(f'{URL}/api/v1/dead-letters')} {json.dumps(params or body)}")
        return answers[url.removeprefix(f"{URL}/api/v1/dead-letters")]

    monkeypatch.setattr(client, "_request_json", answer)
    return CliRunner().invoke(cli, ["dead-letters", *arguments, "--url", URL]), asked


def listed(*letters: DeadLetter) -> JsonValue:
    rows = tuple(responses.row(letter, str, None) for letter in letters)
    body: JsonValue = DeadLetterList(letters=rows, total_items=len(rows) + 3, next=None).model_dump(mode="json")
    return body


def test_each_letter_says_who_buried_it_how_often_and_why(monkeypatch: pytest.MonkeyPatch) -> None:
    result, asked = run(monkeypatch, {"": listed(LETTER)}, "list", "--service", "ingest", "--limit", "5")
    heading, line, more = result.output.splitlines()
    assert heading.endswith(f"{ONE}  waiting")
    assert line == "  ingest, of tarsy.alerts-1 at 7: no\N{REPLACEMENT CHARACTER}[2J alert (9 bytes, buried 2 times)"
    assert more == "and 3 older"
    assert asked == ['GET  {"limit": 5, "service": "ingest"}']


def test_a_letter_is_found_by_the_beginning_of_its_id_and_shown_without_control_characters(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    headers = (("from", b"them"), ("dead-letter-topic", b"tarsy.alerts"))
    record = ConsumerRecord("t", 0, 3, 0, 0, b"k", b"\x1b[2Jvalue", None, 1, 10, headers)
    body: JsonValue = responses.detail(LETTER, record, str, "It was cut.").model_dump(mode="json")
    result, _ = run(monkeypatch, {"": listed(LETTER), f"/{ONE}": body}, "show", ONE[:4])
    assert "\x1b" not in result.output
    assert "came 2020-" not in result.output
    for part in ("cannot be re-driven: It was cut.", "re-driven", "  from: them", "  key: k", "value"):
        assert part in result.output


def test_raw_writes_the_value_byte_for_byte(monkeypatch: pytest.MonkeyPatch) -> None:
    value = b"\x00\xff\x1b"
    raw = DeadLetterRaw(id=ONE, key=None, value=base64.b64encode(value).decode(), headers=())
    answers: dict[str, JsonValue] = {f"/{ONE}/raw": raw.model_dump(mode="json")}
    result, _ = run(monkeypatch, answers, "show", ONE, "--raw")
    assert result.stdout_bytes == value
    told, _ = run(monkeypatch, answers, "show", ONE, "--raw", "--json")
    assert json.loads(told.output)["value"] == raw.value


def test_all_are_re_driven_in_as_many_requests_as_it_takes_and_a_refusal_fails_the_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pages = [
        RedriveAnswer(letters=(Redriven(id=ONE, outcome="redriven", message="there", topic="t"),), next=ONE),
        RedriveAnswer(letters=(Redriven(id=TWO, outcome="refused", message="It was cut.", topic="t"),), next=None),
    ]
    asked: list[JsonValue] = []

    def post(url: str, body: JsonValue) -> JsonValue:
        asked.append(body)
        return pages[len(asked) - 1].model_dump(mode="json")

    monkeypatch.setattr(redriving, "post", post)
    result = CliRunner().invoke(cli, ["dead-letters", "redrive", "--all", "--topic", "alerts", "--url", URL])
    assert [body["after"] for body in asked if isinstance(body, dict)] == ["", ONE]
    assert result.output.splitlines()[-1] == "1 dead letter re-driven, 1 not."
    assert result.exit_code == 1


@pytest.mark.parametrize("wrong", [[], [ONE, "--all"], [ONE, "--topic", "alerts"]], ids=str)
def test_letters_are_named_or_all_of_them_are_wanted(wrong: list[str]) -> None:
    assert CliRunner().invoke(cli, ["dead-letters", "redrive", *wrong, "--url", URL]).exit_code == 2


def test_a_time_is_written_as_people_write_it() -> None:
    now = datetime(2026, 11, 24, 12, 0, tzinfo=UTC)
    assert begin_of("2h", now) == "2026-11-24T10:00:00+00:00"
    assert datetime.fromisoformat(begin_of("2026-11-24T11:00:00Z", now)) == now.replace(hour=11)
    with pytest.raises(UnclearLetterError):
        begin_of("yesterday", now)
