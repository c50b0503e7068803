"""Routing: the first chain that fits investigates an alert, in the order of the file, and says by which rule."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tarsy_config.sections.matchers import Matcher
from tarsy_contracts.alert import Alert

ONLY = "the only chain"
EVERY = "every alert"
UNMATCHED = "no chain matched, so the default"


@dataclass(frozen=True, slots=True)
class AlertFacts:
    """Facts that chains are chosen by. `names_no_type`: the alert names no type that a chain has; it has the default.

    `labels`: with names in lower case; `severity`, `source`, `alert_type`, `cluster`, `namespace` and `workload` count
    as labels.
    """

    alert_type: str
    labels: Mapping[str, str]
    names_no_type: bool = False


def facts_of(alert: Alert) -> AlertFacts:
    """Labels of the alert, and what was found in it besides."""
    found = {
        "alert_type": alert.alert_type,
        "severity": alert.severity,
        "source": alert.source,
        "cluster": alert.cluster,
        "namespace": alert.namespace,
        "workload": alert.workload,
    }
    labels = alert.labels | {name: value for name, value in found.items() if value is not None}
    return AlertFacts(alert.alert_type, labels, alert.names_no_type)


@dataclass(frozen=True, slots=True)
class ChainRule:
    """`alert_types`: none for all. `matchers`: None where the chain has no `match`; none of them fit every alert."""

    chain_id: str
    alert_types: frozenset[str]
    matchers: tuple[Matcher, ...] | None

    def fits(self, alert: AlertFacts) -> bool:
        """A type that the alert does not name is no reason to choose a chain that has no `match`."""
        if self.matchers is None and alert.names_no_type:
            return False
        of_type = not self.alert_types or alert.alert_type in self.alert_types
        return of_type and all(matcher.fits(alert.labels) for matcher in self.matchers or ())

    def takes_all_of(self, alert_type: str) -> bool:
        return not self.matchers and (not self.alert_types or alert_type in self.alert_types)

    def words_for(self, alert: AlertFacts) -> str:
        of_type = f"alert type {alert.alert_type}" if self.alert_types else ""
        return ", ".join(filter(None, (of_type, *map(str, self.matchers or ())))) or EVERY

    def is_shadowed_by(self, before: "ChainRule", alert_type: str | None) -> bool:
        """Whether `before` takes each alert of the type that this one would; None for alerts of all types."""
        if before.alert_types and (alert_type is None or alert_type not in before.alert_types):
            return False
        return all(_is_implied(matcher, self.matchers or ()) for matcher in before.matchers or ())


@dataclass(frozen=True, slots=True)
class ChainRoute:
    """`chosen_by` is for people. `unmatched`: it is the default chain, as no other fits."""

    chain_id: str
    chosen_by: str
    unmatched: bool = False


@dataclass(frozen=True, slots=True)
class Router:
    """`rules` in their order; the default chain is the first that takes all alerts of the default type."""

    rules: Sequence[ChainRule]
    default_alert_type: str

    def route(self, alert: AlertFacts) -> ChainRoute:
        fitting = next((rule for rule in self.rules if rule.fits(alert)), None)
        if fitting is not None:
            return ChainRoute(fitting.chain_id, fitting.words_for(alert))
        if len(self.rules) == 1 and self.rules[0].matchers is None:
            return ChainRoute(self.rules[0].chain_id, ONLY)
        return ChainRoute(self.default_chain_id, UNMATCHED, unmatched=True)

    @property
    def default_chain_id(self) -> str:
        return next(rule.chain_id for rule in self.rules if rule.takes_all_of(self.default_alert_type))

    def chain_of_type(self, alert_type: str) -> str | None:
        """The chain that takes its alerts whatever their labels are, or else the first that names it."""
        whole = (rule for rule in self.rules if rule.takes_all_of(alert_type))
        naming = (rule for rule in self.rules if alert_type in rule.alert_types)
        found = next(whole, None) or next(naming, None)
        return None if found is None else found.chain_id


def _is_implied(matcher: Matcher, others: Iterable[Matcher]) -> bool:
    """Whether what fits the others fits this one, as far as that can be told."""
    return any(
        matcher == other
        or (
            other.name == matcher.name
            and (values := other.only_values) is not None
            and all(matcher.fits({matcher.name: value}) for value in values)
        )
        for other in others
    )
