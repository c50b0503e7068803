"""Decisions make progress while no partition waits in vain."""

from tarsy_orchestrator.partition.decision_progress import DecisionProgress, Decisions


def test_whoever_has_nothing_to_decide_is_not_stuck() -> None:
    progress = DecisionProgress()
    for _ in range(3):
        assert progress.has_moved({0: Decisions(5, waiting=False), 1: Decisions(0, waiting=False)})
    assert progress.has_moved({})


def test_a_partition_whose_inputs_wait_while_it_decides_nothing_is_stuck() -> None:
    progress = DecisionProgress()
    assert progress.has_moved({0: Decisions(5, waiting=True)})
    for _ in range(3):
        assert not progress.has_moved({0: Decisions(5, waiting=True)})
    assert progress.has_moved({0: Decisions(6, waiting=True)})


def test_one_that_is_stuck_is_not_hidden_by_others_that_decide() -> None:
    progress = DecisionProgress()
    progress.has_moved({0: Decisions(5, waiting=True), 1: Decisions(0, waiting=True)})
    for made in range(1, 9):
        assert not progress.has_moved({0: Decisions(5, waiting=True), 1: Decisions(made, waiting=True)})


def test_two_that_decide_in_turn_are_not_stuck() -> None:
    progress = DecisionProgress()
    progress.has_moved({0: Decisions(0, waiting=True), 1: Decisions(0, waiting=True)})
    assert not progress.has_moved({0: Decisions(1, waiting=True), 1: Decisions(0, waiting=True)})
    assert progress.has_moved({0: Decisions(1, waiting=True), 1: Decisions(1, waiting=True)})


def test_a_partition_that_went_elsewhere_is_not_waited_for() -> None:
    progress = DecisionProgress()
    progress.has_moved({0: Decisions(5, waiting=True), 1: Decisions(0, waiting=True)})
    assert not progress.has_moved({0: Decisions(5, waiting=True), 1: Decisions(1, waiting=True)})
    assert progress.has_moved({1: Decisions(2, waiting=True)})
