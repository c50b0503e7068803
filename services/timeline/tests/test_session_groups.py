"""Whoever is limited to session groups finds the sessions of these groups, and to him no other is there."""

from datetime import timedelta
from typing import Any

import pytest
from fastapi.routing import iter_route_contexts
from projected_world import NewSession, World, records
from prometheus_client import CollectorRegistry

from tarsy_auth.session_groups import SessionGroup, labels_of
from tarsy_contracts import events as e
from tarsy_contracts.alert import Alert
from tarsy_testing.access import app_of
from tarsy_testing.story.projection import once_projected
from tarsy_testing.story.whole_chain import begun
from tarsy_timeline.app import build
from tarsy_timeline.settings import TimelineSettings

SETTINGS = TimelineSettings.model_validate({"database": "postgresql://nobody@127.0.0.1:1/none"})
SHOP = SessionGroup("shop", {"namespace": ("shop", "storefront"), "cluster": ("eu-1",)})
CERTIFICATES = SessionGroup("certificates", {"alert_type": ("certificate",)})
NOTHING = SessionGroup("nothing", {"workload": ("checkout",), "namespace": ("nowhere",)})
TEAM = SessionGroup("team", {"team": ("shop", "storefront")})
OWNED = SessionGroup("owned", {"team": ("shop",), "owner": ("ann", "bob"), "cluster": ("eu-1",)})
JOINED = "33333333-3333-5333-8333-333333333333"
READS = ("", "/status", "/timeline", "/summary", "/approvals")


def alert(**labels: str | dict[str, str] | None) -> Alert:
    fields = {"alert_type": "kubernetes", "data": "the volcano erupted", "source": "api", "author": "ann"}
    return Alert.model_validate({**fields, **labels})


async def projected(world: World, new_session: NewSession, **alerts: Alert) -> dict[str, Any]:
    """One session for each alert, by its name."""
    found = {name: new_session().add(begun().model_copy(update={"alert": one})) for name, one in alerts.items()}
    await world.project(*(record for session in found.values() for record in records(session)))
    return found


async def four(world: World, new_session: NewSession) -> dict[str, Any]:
    return await projected(
        world,
        new_session,
        shop=alert(namespace="shop", cluster="eu-1", runbook_url="https://a.example/shop"),
        elsewhere=alert(namespace="shop", cluster="us-1", runbook_url="https://a.example/elsewhere"),
        bare=alert(),
        certificate=alert(alert_type="certificate", cluster="us-1"),
    )


@pytest.mark.parametrize(
    ("groups", "seen"),
    [
        (None, {"shop", "elsewhere", "bare", "certificate"}),
        ((SHOP,), {"shop"}),
        ((SHOP, CERTIFICATES), {"shop", "certificate"}),
        ((NOTHING,), set()),
        ((), set()),
    ],
    ids=["all", "one group", "two groups", "a group without sessions", "no group"],
)
async def test_lists_and_search_have_the_sessions_of_the_groups(
    world: World, new_session: NewSession, groups: tuple[SessionGroup, ...] | None, seen: set[str]
) -> None:
    sessions = await four(world, new_session)
    ids = {sessions[name].id for name in seen}
    await world.index()
    world.session_groups = groups

    listed = await world.get("/api/v1/sessions")
    found = await world.get("/api/v1/sessions?search=volcano")
    active = await world.get("/api/v1/sessions/active")
    options = await world.get("/api/v1/sessions/filter-options")

    assert {one["id"] for one in listed["sessions"]} == ids
    assert listed["pagination"]["total_items"] == len(ids)
    assert {one["id"] for one in found["sessions"]} == ids
    assert found["pagination"]["total_items"] == len(ids)
    assert {one["id"] for one in [*active["active"], *active["queued"]]} == ids
    clusters = {"shop": "eu-1", "elsewhere": "us-1", "certificate": "us-1"}
    assert set(options["clusters"]) == {clusters[name] for name in seen & clusters.keys()}
    runbooks = (await world.client.get("/api/v1/runbooks")).json()
    assert sorted(runbooks) == sorted(f"https://a.example/{name}" for name in seen & {"elsewhere", "shop"})


@pytest.mark.parametrize(
    ("groups", "seen"),
    [
        ((TEAM,), {"ann's", "carl's", "storefront"}),
        ((OWNED,), {"ann's"}),
        ((OWNED, CERTIFICATES), {"ann's", "certificate"}),
        ((TEAM, CERTIFICATES, NOTHING), {"ann's", "carl's", "storefront", "certificate"}),
        ((SessionGroup("other", {"team": ("sho", "shop ", "Shop"), "owner": ("ann",)}),), set()),
    ],
    ids=["one label", "three labels", "two groups", "three groups", "other values"],
)
async def test_labels_that_senders_chose_are_labels_of_groups(
    world: World, new_session: NewSession, groups: tuple[SessionGroup, ...], seen: set[str]
) -> None:
    sessions = await projected(
        world,
        new_session,
        **{
            "ann's": alert(labels={"team": "shop", "owner": "ann"}, cluster="eu-1"),
            "carl's": alert(labels={"team": "shop", "owner": "carl"}, cluster="eu-1"),
            "storefront": alert(labels={"team": "storefront", "owner": "ann"}, cluster="us-1"),
            "certificate": alert(alert_type="certificate"),
            "bare": alert(),
        },
    )
    await world.index()
    world.session_groups = groups
    ids = {sessions[name].id for name in seen}

    listed = await world.get("/api/v1/sessions")
    found = await world.get("/api/v1/sessions?search=volcano")
    active = await world.get("/api/v1/sessions/active")
    asked = {"session_ids": [one.id for one in sessions.values()], "session_groups": labels_of(groups)}
    judged = (await world.client.post("/internal/v1/visible-sessions", json=asked)).json()

    assert {one["id"] for one in listed["sessions"]} == {one["id"] for one in found["sessions"]} == ids
    assert {one["id"] for one in [*active["active"], *active["queued"]]} == set(judged["visible"]) == ids
    assert listed["pagination"]["total_items"] == found["pagination"]["total_items"] == len(ids)


async def test_a_session_shows_the_labels_that_its_sender_chose(world: World, new_session: NewSession) -> None:
    labels = {"team": "shop", "equation": "a=b", "odd": "n\0ul"}
    sessions = await projected(world, new_session, shop=alert(labels=labels))
    detail = await world.get(f"/api/v1/sessions/{sessions['shop'].id}")
    assert detail["labels"] == {**labels, "odd": "n\ufffdul"}


async def test_sessions_from_before_labels_were_kept_are_in_no_group_that_names_one(
    world: World, new_session: NewSession
) -> None:
    sessions = await projected(world, new_session, old=alert(namespace="shop", cluster="eu-1"))
    world.session_groups = (TEAM,)
    assert (await world.get("/api/v1/sessions"))["sessions"] == []
    world.session_groups = (TEAM, SHOP)
    assert [one["id"] for one in (await world.get("/api/v1/sessions"))["sessions"]] == [sessions["old"].id]


async def test_a_filter_adds_to_the_groups_and_takes_nothing_from_them(world: World, new_session: NewSession) -> None:
    sessions = await four(world, new_session)
    world.session_groups = (SHOP, CERTIFICATES)
    for query, names in {"cluster=us-1": ["certificate"], "namespace=shop": ["shop"], "cluster=other": []}.items():
        answer = await world.get(f"/api/v1/sessions?{query}")
        assert [one["id"] for one in answer["sessions"]] == [sessions[name].id for name in names]


async def test_a_session_of_another_group_is_answered_as_one_that_is_not_there(
    world: World, new_session: NewSession
) -> None:
    sessions = await four(world, new_session)
    world.session_groups = (SHOP,)
    for read in READS:
        assert (await world.client.get(f"/api/v1/sessions/{sessions['shop'].id}{read}")).status_code == 200
        hidden = await world.client.get(f"/api/v1/sessions/{sessions['elsewhere'].id}{read}")
        unknown = await world.client.get(f"/api/v1/sessions/nobodys{read}")
        assert (hidden.status_code, unknown.status_code) == (404, 404)
        assert hidden.text.replace(sessions["elsewhere"].id, "nobodys") == unknown.text


async def test_a_request_about_a_session_of_another_group_does_not_arrive(
    world: World, new_session: NewSession
) -> None:
    sessions = await four(world, new_session)
    world.session_groups = (SHOP,)
    for name, status in {"shop": 200, "elsewhere": 404}.items():
        id = sessions[name].id
        assert (await world.client.post(f"/test/sessions/{id}", json={"known": id})).status_code == status


async def test_the_id_of_an_alert_that_joined_a_session_shows_it_to_those_of_its_group_only(
    world: World, new_session: NewSession
) -> None:
    sessions = await four(world, new_session)
    joined = e.AlertRepeated(input_id="i", source="api", count=1, total=1, joined=(JOINED,))
    await world.project(sessions["shop"].add(joined).recorded(2))
    for group, status in ((SHOP, 200), (CERTIFICATES, 404)):
        world.session_groups = (group,)
        answer = await world.client.get(f"/api/v1/sessions/{JOINED}/status")
        assert (answer.status_code, sessions["shop"].id in answer.text) == (status, status == 200)


async def test_a_read_waits_for_its_event_before_the_session_is_judged(world: World, new_session: NewSession) -> None:
    sessions = await four(world, new_session)
    world.session_groups = (SHOP,)
    path = f"/api/v1/sessions/{sessions['shop'].id}/status"
    assert (await once_projected(world.client, f"{path}?at_least=1")).status_code == 200
    statuses = [(await world.client.get(f"{path}?at_least={number}")).status_code for number in ("7", "9" * 30)]
    assert statuses == [503, 400]


async def test_a_gateway_learns_what_somebody_sees(world: World, new_session: NewSession) -> None:
    sessions = await four(world, new_session)
    asked = {
        "session_ids": [sessions["shop"].id, sessions["bare"].id, "nobody's", "\0"],
        "session_groups": [{"namespace": ["shop"]}, {"alert_type": ["x"], "cluster": ["eu-1"]}],
    }
    answer = await world.client.post("/internal/v1/visible-sessions", json=asked)
    assert answer.json() == {"visible": [sessions["shop"].id], "hidden": [sessions["bare"].id]}


@pytest.mark.parametrize(
    ("later", "is_known"), [(timedelta(minutes=59), True), (timedelta(minutes=61), False)], ids=["soon", "later"]
)
async def test_a_gateway_learns_for_an_hour_who_saw_a_session_that_was_deleted(
    world: World, new_session: NewSession, later: timedelta, is_known: bool
) -> None:
    sessions = await four(world, new_session)
    shop, bare = (sessions[name].add(e.SessionDeleted(request_id="r", author="ann")) for name in ("shop", "bare"))
    deletions = [records(one)[-1] for one in (shop, bare)]
    await world.project(*deletions)
    await world.forget_labels(deletions[0].envelope.time + later)
    asked = {"session_ids": [shop.id, bare.id], "session_groups": [{"namespace": ["shop"], "cluster": ["eu-1"]}]}
    answer = await world.client.post("/internal/v1/visible-sessions", json=asked)
    nothing: dict[str, list[str]] = {"visible": [], "hidden": []}
    assert answer.json() == ({"visible": [shop.id], "hidden": [bare.id]} if is_known else nothing)


def test_every_public_route_of_one_session_checks_that_the_caller_sees_it() -> None:
    app = app_of(build(SETTINGS, CollectorRegistry()))
    routes = [
        (route.path, getattr(route.original_route, "checks_visibility", False))
        for route in iter_route_contexts(app.routes)
        if "{session_id}" in (route.path or "") and not (route.path or "").startswith("/internal/")
    ]
    assert len(routes) > 15
    assert [path for path, checks in routes if not checks] == []
