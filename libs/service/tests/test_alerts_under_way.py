"""Alerts are a flood while many are accepted at once, and for a moment after."""

from contextlib import ExitStack

from tarsy_service.process.alerts_under_way import CALM_SECONDS, MANY, AlertsUnderWay


def test_alerts_one_after_the_other_are_no_flood() -> None:
    alerts = AlertsUnderWay(lambda: 100.0)
    for _ in range(2 * MANY):
        with alerts.one():
            assert not alerts.are_flood


def test_many_at_once_are_a_flood_until_it_has_been_calm() -> None:
    now = 100.0
    alerts = AlertsUnderWay(lambda: now)
    with ExitStack() as accepted:
        for _ in range(MANY - 1):
            accepted.enter_context(alerts.one())
        assert not alerts.are_flood
        accepted.enter_context(alerts.one())
        assert alerts.are_flood
        now += 2 * CALM_SECONDS
        assert alerts.are_flood
    now += CALM_SECONDS / 2
    assert alerts.are_flood
    now += CALM_SECONDS / 2
    assert not alerts.are_flood
