"""Chains are chosen by labels: the first that fits wins, and one that never can is a mistake."""

from pathlib import Path

import pytest

from tarsy_config.config import Config
from tarsy_config.errors import InvalidConfigError
from tarsy_config.loading.load import load_config
from tarsy_config.plans.routing import UNMATCHED, AlertFacts, ChainRoute
from tarsy_config.sections.matchers import parse_matcher

REST = """\
agents: {A: {}}
llm_providers: {s: {type: scripted, script: s.yaml}}
defaults: {llm_provider: s}
agent_chains:
"""
STAGES = "stages: [{name: a, agents: [{name: A}]}]"
CLUSTERS = """\
us: {alert_types: [kubernetes], match: [cluster="us-1"], STAGES}
eu: {alert_types: [kubernetes], match: ['cluster=~"eu-.*"', severity!=info], STAGES}
urgent: {match: ['severity=~"critical|page"'], STAGES}
all: {alert_types: [kubernetes, network], STAGES}
"""


def configured(folder: Path, chains: str) -> Config:
    (folder / "s.yaml").write_text("[]", "utf-8")
    lines = "".join(f"  {line}\n" for line in chains.replace("STAGES", STAGES).splitlines())
    (folder / "tarsy.yaml").write_text(REST + lines, "utf-8")
    return load_config(folder, {})


@pytest.mark.parametrize(
    ("labels", "alert_type", "chain"),
    [
        ({"cluster": "us-1"}, None, "us"),
        ({"cluster": "us-1", "severity": "critical"}, None, "us"),
        ({"cluster": "eu-7"}, "kubernetes", "eu"),
        ({"cluster": "eu-7", "severity": "info"}, "kubernetes", "all"),
        ({"cluster": "my-eu-7", "severity": "page"}, None, "urgent"),
        ({"cluster": "us-1"}, "network", "all"),
        ({"severity": "critical"}, "network", "urgent"),
    ],
)
def test_the_first_chain_that_fits_wins(
    tmp_path: Path, labels: dict[str, str], alert_type: str | None, chain: str
) -> None:
    router = configured(tmp_path, CLUSTERS).router()
    route = router.route(AlertFacts(alert_type or "kubernetes", labels, names_no_type=alert_type is None))
    assert (route.chain_id, route.unmatched) == (chain, False)


def test_an_alert_that_no_chain_fits_goes_to_the_default_one_and_the_plan_says_so(tmp_path: Path) -> None:
    config = configured(tmp_path, CLUSTERS)
    route = config.router().route(AlertFacts("kubernetes", {"cluster": "ap-1"}, names_no_type=True))
    assert route == ChainRoute("all", UNMATCHED, unmatched=True)
    plan = config.plan_by(route)
    assert (plan.chain_id, plan.chosen_by, plan.unmatched) == ("all", UNMATCHED, True)


@pytest.mark.parametrize(
    ("chains", "route"),
    [
        ("all: {alert_types: [kubernetes], STAGES}", ChainRoute("all", "the only chain")),
        (CLUSTERS + "rest: {match: [], STAGES}", ChainRoute("rest", "every alert")),
        ("us: {match: [cluster=us], STAGES}\nrest: {match: [], STAGES}", ChainRoute("rest", "every alert")),
    ],
)
def test_who_leaves_no_choice_is_not_warned(tmp_path: Path, chains: str, route: ChainRoute) -> None:
    assert configured(tmp_path, chains).router().route(AlertFacts("kubernetes", {}, names_no_type=True)) == route


def test_the_rule_is_said_as_it_is_written(tmp_path: Path) -> None:
    route = configured(tmp_path, CLUSTERS).router().route(AlertFacts("kubernetes", {"cluster": "eu-1"}))
    assert route.chosen_by == 'alert type kubernetes, cluster=~"eu-.*", severity!="info"'


@pytest.mark.parametrize(
    ("chains", "line", "sentence"),
    [
        ("one: {alert_types: [kubernetes], STAGES}\ntwo: {alert_types: [kubernetes], match: [a=b], STAGES}", 6,
         "its alerts of the type kubernetes go to the chain one (line 5)"),
        ("one: {match: [], STAGES}\ntwo: {alert_types: [kubernetes], STAGES}", 6, "go to the chain one (line 5)"),
        ("one: {match: ['a=~\"x.*\"'], STAGES}\ntwo: {match: [a=xy, c=d], STAGES}\nrest: {match: [], STAGES}", 6,
         "its alerts go to the chain one (line 5), which stands before it; put it before one"),
        ("one: {match: ['a!=z'], STAGES}\ntwo: {match: ['a=~\"x|y\"'], STAGES}\nrest: {match: [], STAGES}", 6,
         "go to the chain one (line 5)"),
        ("one: {alert_types: [kubernetes], STAGES}\ntwo: {alert_types: [kubernetes], STAGES}", 6,
         "the alert type kubernetes belongs to the chain one already; keep one of them"),
        ("one: {alert_types: [kubernetes], match: [a=b], STAGES}", 5, "no chain takes the alerts that none matches"),
        ("one: {alert_types: [kubernetes], match: [a=b, '{c}'], STAGES}", 5, "match[1]: is not a matcher"),
        ("one: {match: ['a=~\"(\"'], STAGES}", 5, "is not a regex of RE2"),
        ("one: {match: ['a=~\"(?=b)\"'], STAGES}", 5, "is not a regex of RE2"),
        ("one: {STAGES}", 5, "name the alert types that the chain is for, or what they match"),
        ("one: {match: [], alerts: {grouping: group}, STAGES}", 5, "alerts.grouping: has no place in a chain"),
    ],
)  # fmt: skip
def test_what_can_never_be_chosen_is_a_mistake_with_its_line(
    tmp_path: Path, chains: str, line: int, sentence: str
) -> None:
    with pytest.raises(InvalidConfigError) as caught:
        configured(tmp_path, chains)
    assert any(told.startswith(f"tarsy.yaml:{line}:") and sentence in told for told in str(caught.value).splitlines())


@pytest.mark.parametrize(
    ("text", "labels", "fits"),
    [
        ('cluster="us-1"', {"cluster": "us-1"}, True),
        ("cluster = us-1", {"cluster": "us-1"}, True),
        ("Cluster=us-1", {"cluster": "us-1"}, True),
        ("cluster!=us-1", {}, True),
        ('cluster=""', {}, True),
        ('team=~"shop|pay"', {"team": "shop"}, True),
        ('team=~"shop|pay"', {"team": "shopping"}, False),
        ('team=~"(a|a)*b"', {"team": "a" * 40}, False),
        ('team=~"caf."', {"team": "caf\N{LATIN SMALL LETTER E WITH ACUTE}"}, True),
        ('team!~"shop|pay"', {"team": "shop"}, False),
        (r'path=~"/a\.b"', {"path": "/a.b"}, True),
        (r'said="a \"b\""', {"said": 'a "b"'}, True),
        ('"k8s.cluster"=x', {"k8s.cluster": "x"}, True),
    ],
)
def test_matchers_are_those_of_alertmanager(text: str, labels: dict[str, str], fits: bool) -> None:
    matcher = parse_matcher(text)
    assert matcher.fits(labels) == fits
    assert parse_matcher(str(matcher)) == matcher
