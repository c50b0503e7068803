"""How sessions ended, by day, alert type and hour of the week."""

from typing import Any

import pytest
from projected_world import Json, NewSession, World, records

from tarsy_auth.session_groups import SessionGroup
from tarsy_contracts import events as e
from tarsy_testing.story.whole_chain import begun

STAGE = e.StageStarted(stage_id="s", index=1, name="look")
NOVEMBER = "from=2026-11-01&to=2026-11-30"
ADDRESS = f"/api/v1/usage/outcomes?{NOVEMBER}"


def alert(new_session: NewSession, alert_type: str, *ends: e.Event, namespace: str = "shop") -> Any:
    first = begun()
    changed = first.alert.model_copy(update={"alert_type": alert_type, "namespace": namespace})
    return new_session().add(first.model_copy(update={"alert": changed}), *ends)


def counts(outcomes: Json) -> tuple[int, ...]:
    return tuple(outcomes[name] for name in ("sessions", "completed", "failed", "cancelled"))


async def project(world: World, *sessions: Any) -> None:
    await world.project(*(record for session in sessions for record in records(session)))


async def test_sessions_are_counted_by_how_they_ended(world: World, new_session: NewSession) -> None:
    await project(
        world,
        alert(new_session, "crash", STAGE, e.SessionCompleted(final_analysis="It leaks.")),
        alert(new_session, "crash", e.SessionFailed(error="401")),
        alert(new_session, "disk"),
    )

    report = await world.get(ADDRESS)

    assert counts(report["total"]) == (3, 1, 1, 0)
    assert report["total"]["p50_seconds"] >= 0
    assert [(one["alert_type"], counts(one)) for one in report["alert_types"]] == [
        ("crash", (2, 1, 1, 0)), ("disk", (1, 0, 0, 0)),
    ]  # fmt: skip
    [day] = report["days"]
    assert (day["day"], counts(day)) == ("2026-11-22", (3, 1, 1, 0))
    assert [(one["weekday"], one["sessions"]) for one in report["hours"]] == [(7, 3)]


async def test_where_nothing_was_completed_nothing_took_a_time(world: World, new_session: NewSession) -> None:
    await project(world, alert(new_session, "disk"))

    total = (await world.get(ADDRESS))["total"]

    assert (total["p50_seconds"], total["p90_seconds"]) == (None, None)


async def test_other_days_and_deleted_sessions_are_not_in_it(world: World, new_session: NewSession) -> None:
    await project(world, alert(new_session, "crash", e.SessionDeleted(author="ann", request_id="r")))

    for address in (ADDRESS, "/api/v1/usage/outcomes?from=2026-10-01&to=2026-10-31"):
        report = await world.get(address)
        assert (counts(report["total"]), report["days"], report["hours"]) == ((0, 0, 0, 0), [], [])


async def test_nobody_is_shown_how_sessions_of_other_groups_ended(world: World, new_session: NewSession) -> None:
    await project(world, alert(new_session, "crash"), alert(new_session, "secret", namespace="bank"))
    world.session_groups = (SessionGroup("shop", {"namespace": ("shop",)}),)

    report = await world.get(ADDRESS)

    assert [one["alert_type"] for one in report["alert_types"]] == ["crash"]
    assert counts(report["total"]) == (1, 0, 0, 0)


@pytest.mark.parametrize("days", ["from=2026-11-30&to=2026-11-01", "from=2024-01-01&to=2026-11-30", "from=x&to=y"])
async def test_days_that_cannot_be_are_a_problem(world: World, days: str) -> None:
    assert (await world.client.get(f"/api/v1/usage/outcomes?{days}")).status_code == 400
