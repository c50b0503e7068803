"""The plan of a chaos test: which process dies when, the same for the same seed."""

from tarsy_chaos.plan import strikes
from tarsy_local.instance_counts import SERVICES


def test_a_seed_always_chooses_the_same_moments_and_every_service_has_its_turn() -> None:
    plan = strikes(seed=7, rounds=3)
    assert plan == strikes(seed=7, rounds=3)
    assert plan != strikes(seed=8, rounds=3)
    assert [strike.service for strike in plan] == list(SERVICES) * 3


def test_any_process_of_the_service_may_be_picked_and_no_other() -> None:
    plan = strikes(seed=1, rounds=20)
    assert {strike.investigation.pick([11, 12, 13]) for strike in plan} == {11, 12, 13}
    assert {strike.reply.pick([11, 12, 13]) for strike in plan} == {11, 12, 13}
