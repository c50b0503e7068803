"""Alert types and rules of masking follow the configuration; a broken one changes nothing, and is told."""

from pathlib import Path

from ingest_running import StartIngest

from tarsy_testing.real_servers import eventually

ALERT = {"alert_type": "disk", "data": "it is full"}


async def test_an_alert_type_that_is_added_is_taken_and_a_broken_file_keeps_it(
    start_ingest: StartIngest, config_dir: Path
) -> None:
    file = config_dir / "tarsy.yaml"
    first = file.read_text(encoding="utf-8")
    async with start_ingest() as ingest:

        async def page() -> dict[str, dict[str, object]]:
            found: dict[str, dict[str, object]] = (await ingest.client.get("/ready")).json()
            return found

        before = (await page())["config"]["ingest"]
        assert (await ingest.client.post("/api/v1/alerts", json=ALERT)).status_code == 400
        file.write_text(first.replace("[kubernetes,", "[disk, kubernetes,"), encoding="utf-8")

        async def is_taken() -> bool:
            return (await ingest.client.post("/api/v1/alerts", json=ALERT)).status_code == 202

        await eventually(is_taken, "the new alert type is known")
        after = (await page())["config"]["ingest"]
        assert after != before

        file.write_text(first + "surplus: 1\n", encoding="utf-8")

        async def is_told() -> bool:
            return "surplus" in str((await page())["degraded"].get("ingest"))

        await eventually(is_told, "the mistake is on the readiness page")
        assert await is_taken()
        assert (await page())["config"]["ingest"] == after
        assert ingest.value("tarsy_config_reload_failed", service="ingest") == 1
