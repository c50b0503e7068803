"""Holidays and on-call hours are checked whole, by file and line, and become the calendar of every plan."""

from pathlib import Path

import pytest

from tarsy_config.errors import InvalidConfigError
from tarsy_config.loading.load import load_config
from tarsy_contracts.calendar import Calendar, Holiday, OnCallHours, TeamCalendar

REST = """\
agents: {A: {}}
agent_chains: {k: {alert_types: [kubernetes], stages: [{name: a, agents: [{name: A}]}]}}
llm_providers: {s: {type: scripted, script: s.yaml}}
defaults: {llm_provider: s}
system:
"""


def calendar_of(folder: Path, system: str) -> Calendar | None:
    (folder / "s.yaml").write_text("[]", "utf-8")
    (folder / "tarsy.yaml").write_text(REST + system, "utf-8")
    config = load_config(folder, {})
    assert [note for note in config.notes if "holidays" in str(note)] == []
    return config.system.calendar


def test_holidays_are_read_as_go_tarsy_has_them(tmp_path: Path) -> None:
    system = '  holidays:\n    - {date: "12-25", name: Christmas}\n    - date: 2027-01-01\n      name: New Year\n'
    found = calendar_of(tmp_path, system)
    assert found == Calendar(
        holidays=(
            Holiday(day="12-25", name="Christmas"),
            Holiday(day="2027-01-01", name="New Year"),
        )
    )


def test_without_any_of_the_keys_there_is_no_calendar(tmp_path: Path) -> None:
    assert calendar_of(tmp_path, "  dashboard_url: http://localhost\n") is None


def test_a_team_has_shifts_and_a_zone_of_its_own(tmp_path: Path) -> None:
    system = """\
  time_zone: Europe/Prague
  on_call:
    team_label: Squad
    shifts: [{hours: "08:00-18:00"}]
    teams:
      Payments: {time_zone: America/New_York, shifts: [{days: fri-mon, hours: "22:00-06:00", on_holidays: true}]}
"""
    found = calendar_of(tmp_path, system)
    assert found is not None
    assert found.team_label == "squad"
    assert found.general.hours == (OnCallHours(days=(0, 1, 2, 3, 4), begin="08:00", end="18:00"),)
    assert found.teams == {
        "payments": TeamCalendar(
            time_zone="America/New_York",
            hours=(OnCallHours(days=(0, 4, 5, 6), begin="22:00", end="06:00", on_holidays=True),),
        )
    }


@pytest.mark.parametrize(
    ("system", "mistake"),
    [
        ("  holidays: [{date: 2026-02-30, name: x}]\n", "tarsy.yaml:6: system.holidays[0].date"),
        ('  holidays: [{date: "13-01", name: x}]\n', "tarsy.yaml:6: system.holidays[0].date"),
        ("  holidays: [{date: christmas, name: x}]\n", "tarsy.yaml:6: system.holidays[0].date"),
        ("  holidays: [{date: 2026-12-25}]\n", "system.holidays[0].name"),
        ("  time_zone: Europe/Atlantis\n", "system.time_zone"),
        ("  time_zone: ../../etc/passwd\n", "system.time_zone"),
        ("  on_call:\n    shifts: [{days: someday}]\n", "tarsy.yaml:7: system.on_call.shifts[0].days"),
        ('  on_call:\n    shifts: [{hours: "8-18"}]\n', "system.on_call.shifts[0].hours"),
        ('  on_call:\n    shifts: [{hours: "08:00-08:00"}]\n', "system.on_call.shifts[0].hours"),
        ("  on_call:\n    teams: {a: {zone: UTC}}\n", "system.on_call.teams.a.zone"),
    ],
)
def test_a_mistake_is_told_with_its_line(tmp_path: Path, system: str, mistake: str) -> None:
    with pytest.raises(InvalidConfigError) as caught:
        calendar_of(tmp_path, system)
    assert mistake in str(caught.value)
