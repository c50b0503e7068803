"""Report of how sessions ended, from the rows of `report_outcomes`. Pure."""

from collections.abc import Mapping, Sequence

from tarsy_contracts.api.usage import AlertsOfHour, OutcomeReport, OutcomesOfAlertType, OutcomesOfDay, SessionOutcomes
from tarsy_timeline.rows.session_rows import Row

MOST_ALERT_TYPES = 20
HOURS_OF_DAY = 24
DAY, ALERT_TYPE, HOUR, ALL = 3, 5, 6, 7


def outcome_report(rows: Sequence[Row]) -> OutcomeReport:
    [total] = _of_kind(rows, ALL)
    types = sorted(_of_kind(rows, ALERT_TYPE), key=lambda row: (-row["sessions"], row["alert_type"]))
    return OutcomeReport(
        days=tuple(
            OutcomesOfDay.model_validate({"day": row["day"], **_outcomes(row)})
            for row in sorted(_of_kind(rows, DAY), key=lambda row: str(row["day"]))
        ),
        alert_types=tuple(
            OutcomesOfAlertType.model_validate({"alert_type": row["alert_type"], **_outcomes(row)})
            for row in types[:MOST_ALERT_TYPES]
        ),
        hours=tuple(
            AlertsOfHour(
                weekday=1 + row["hour"] // HOURS_OF_DAY, hour=row["hour"] % HOURS_OF_DAY, sessions=row["sessions"]
            )
            for row in sorted(_of_kind(rows, HOUR), key=lambda row: int(row["hour"]))
        ),
        total=SessionOutcomes.model_validate(_outcomes(total)),
    )


def _of_kind(rows: Sequence[Row], kind: int) -> list[Row]:
    return [row for row in rows if row["kind"] == kind]


def _outcomes(row: Row) -> Mapping[str, object]:
    return {name: row[name] for name in SessionOutcomes.model_fields}
