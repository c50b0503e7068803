"""An alert that any Kafka client publishes is investigated, and any client can read the story."""

import json
from pathlib import Path

from tarsy_contracts.events import ENDINGS, ToolCallCompleted
from tarsy_testing.programs import require_programs
from tarsy_testing.real_servers import eventually
from tarsy_testing.servers.kcat import headers_of, places_of, publish
from tarsy_testing.story.incident import alert_now
from tarsy_testing.story.log import read_log
from tarsy_testing.system.system import System

ALWAYS = {
    "ce_specversion",
    "ce_id",
    "ce_type",
    "ce_source",
    "ce_subject",
    "ce_time",
    "ce_dataschema",
    "ce_sequence",
    "ce_decided",
    "content-type",
}


async def test_an_alert_from_kcat_is_investigated_and_kcat_reads_the_story_as_cloud_events(
    system: System, tmp_path: Path
) -> None:
    require_programs("kcat")
    await system.start_all()
    alert = tmp_path / "alert.json"
    alert.write_text(json.dumps(alert_now()), "utf-8")
    bootstrap, topics = system.bus.bootstrap, system.bus.topics
    publish(bootstrap, topics.alerts, alert)

    async def look() -> list[dict[str, str]] | None:
        events = headers_of(bootstrap, topics.sessions)
        return events if any(event["ce_type"] in ENDINGS for event in events) else None

    events = await eventually(look, "the end of the investigation, as kcat reads it", seconds=240)
    assert len({event["ce_subject"] for event in events}) == 1
    assert [event["ce_sequence"] for event in events] == [str(number) for number in range(1, len(events) + 1)]
    for event in events:
        assert event.keys() >= ALWAYS, event
        assert event["ce_specversion"] == "1.0"
        assert event["ce_dataschema"].startswith(f"urn:tarsy:{event['ce_type']}:")
    assert "ce_previous" not in events[0]
    previous = [event.get("ce_previous") for event in events[1:]]
    assert previous == [event["ce_id"] for event in events[:-1]]

    types = [event["ce_type"] for event in events]
    assert (types[0], types[-1]) == ("session.started", "session.completed")
    assert types.count("tool_call.requested") == types.count("tool_call.completed") == 5
    assert {"llm_call.completed", "tool_call.started", "summary.completed", "execution.completed"} <= set(types)

    # Results lie compressed: kcat finds each piece whole, where the log says that it lies.
    named = [
        (completed.stored.partition, piece.offset, piece.size)
        for log in (await read_log(system.bus)).values()
        for completed in log.events(ToolCallCompleted)
        if completed.stored is not None
        for piece in completed.stored.pieces
    ]
    assert len(named) > 1
    assert places_of(bootstrap, topics.results) == sorted(named)
