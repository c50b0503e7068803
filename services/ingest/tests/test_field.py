"""What senders of the field send, and what has to become of it: a case is one file in `field/KIND/`.

`source` says where it was met; `config` has sections of its own. `posts` are sent in their order; each has what is
answered (`status`, and of each alert its `outcomes`) and what the inbox has of it: `queued` alerts with these fields,
or `resolved` ones, of the post `of`.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from field_door import FieldDoor
from structlog.testing import capture_logs

from tarsy_contracts.messages.inputs import AlertReceived, AlertResolutionReported
from tarsy_contracts.wire.message import Message

FIELD = Path(__file__).parent / "field"
CASES = {f"{case.parent.name}/{case.stem}": json.loads(case.read_bytes()) for case in sorted(FIELD.glob("*/*.json"))}


def content_of(post: dict[str, Any]) -> bytes:
    if "hex" in post:
        return bytes.fromhex(post["hex"])
    text = post["text"] if "text" in post else json.dumps(post["body"], ensure_ascii=False)
    return str(text).encode(post.get("encoding", "utf-8"))


@pytest.mark.parametrize("case", CASES)
async def test_what_senders_send_becomes_what_they_mean(case: str, config_dir: Path) -> None:
    played = CASES[case]
    with (config_dir / "tarsy.yaml").open("a", encoding="utf-8") as configuration:
        configuration.writelines(
            f"{name}: {json.dumps(section)}\n" for name, section in played.get("config", {}).items()
        )
    door = FieldDoor(config_dir)
    assert played["source"].startswith(("https://", "field sample "))
    keys: list[str] = []
    async with door.open() as client:
        for post in played["posts"]:
            headers = {"Content-Type": post.get("content_type", "application/json")}
            before = len(door.publisher.inbox)
            with capture_logs() as lines:
                answer = await client.post(post["to"], content=content_of(post), headers=headers)
            assert answer.status_code == post.get("status", 202), answer.text
            if "outcomes" in post:
                assert [one["status"] for one in answer.json()["alerts"]] == post["outcomes"]
            taken = door.publisher.inbox[before:]
            keys.append(next((key_of(one) for one in taken), ""))
            assert len(taken) == len(post["inbox"]), taken
            for message, expected in zip(taken, post["inbox"], strict=True):
                check(message, expected, keys)
            refused = [line["event"] for line in lines].count("alert.refused")
            assert refused == post.get("refused", 0)


def test_each_case_is_in_the_list_of_what_was_tried() -> None:
    page = (Path(__file__).parents[3] / "docs/reference/tested-with.md").read_text(encoding="utf-8")
    rows = {row.split(" | ")[0].removeprefix("| "): row for row in page.splitlines()}
    assert not [case for case, played in CASES.items() if case not in rows or _met_at(played) not in rows[case]]


def _met_at(played: dict[str, Any]) -> str:
    source = str(played["source"])
    return source if source.startswith("https://") else "our own"


def check(message: Message, expected: dict[str, Any], keys: list[str]) -> None:
    match message:
        case AlertReceived(alert=alert):
            wanted = expected["queued"]
            assert {name: getattr(alert, name) for name in wanted if name != "contains"} == {
                name: value for name, value in wanted.items() if name != "contains"
            }
            assert all(text in alert.data for text in wanted.get("contains", ()))
        case AlertResolutionReported():
            wanted = expected["resolved"]
            assert message.start_unknown == wanted.get("start_unknown", False)
            assert message.deduplication_key == keys[wanted["of"]]
        case _:
            raise AssertionError(message)


def key_of(message: Message) -> str:
    match message:
        case AlertReceived(deduplication=same) if same is not None:
            return same.key
        case AlertResolutionReported(deduplication_key=key):
            return key
        case _:
            return ""
