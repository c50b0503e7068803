"""`alerts` in `defaults` and chains: what becomes of an alert that comes again, in a group, or is over too soon.

| setting             | order                                |
| ------------------- | ------------------------------------ |
| `window`            | 1h, `defaults`, chain                |
| `flapping`          | join, `defaults`, chain              |
| `grouping`          | alert, `defaults`, chain             |
| `resolved_in_queue` | cancel, `defaults`, chain            |
"""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BeforeValidator

from tarsy_config.values import Section, seconds

type Flapping = Literal["join", "start"]
type Grouping = Literal["alert", "group"]
type ResolvedInQueue = Literal["cancel", "investigate"]

WINDOW_SECONDS = 3600.0


def window_seconds(value: object) -> float:
    """A duration, or 0 for none."""
    return 0.0 if value in (0, "0", "0s") and value is not False else seconds(value)


type Window = Annotated[float, BeforeValidator(window_seconds)]


class AlertHandling(Section):
    """`window`: for so long after its last alert an investigation is joined by the same one; 0 for never.

    `flapping`: whether an alert that fires again, with another start, joins too. `grouping`: whether a group of
    Alertmanager is one investigation, or each of its alerts. `resolved_in_queue`: what becomes of a session whose alert
    is over before its turn.
    """

    window: Window | None = None
    flapping: Flapping | None = None
    grouping: Grouping | None = None
    resolved_in_queue: ResolvedInQueue | None = None


@dataclass(frozen=True, slots=True)
class AlertSettings:
    """The settings of a chain, with nothing left to look up."""

    window_seconds: float = WINDOW_SECONDS
    flapping: Flapping = "join"
    grouping: Grouping = "alert"
    resolved_in_queue: ResolvedInQueue = "cancel"


def alert_settings(defaults: AlertHandling, chain: AlertHandling) -> AlertSettings:
    general = AlertSettings()
    return AlertSettings(
        window_seconds=_last_set(general.window_seconds, defaults.window, chain.window),
        flapping=_last_set(general.flapping, defaults.flapping, chain.flapping),
        grouping=_last_set(general.grouping, defaults.grouping, chain.grouping),
        resolved_in_queue=_last_set(general.resolved_in_queue, defaults.resolved_in_queue, chain.resolved_in_queue),
    )


def _last_set[T](built_in: T, *given: T | None) -> T:
    return next((value for value in reversed(given) if value is not None), built_in)
