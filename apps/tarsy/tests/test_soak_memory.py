"""Memory is flat when a process's end is no higher than its time after the warm-up."""

from tarsy_cli.lab.soak.memory import MemorySamples, grown, highest, memory_faults


def test_a_process_that_warms_up_and_stays_there_is_flat() -> None:
    assert grown([50 + min(n, 30) * 2 for n in range(200)]) is None


def test_a_process_that_grows_to_its_end_is_not() -> None:
    before, after = grown([100 + n for n in range(200)]) or (0, 0)
    assert after - before > 90


def test_peaks_are_no_growth() -> None:
    assert grown([100.0 + (300.0 if n % 10 == 0 else 0.0) for n in range(200)]) is None


def test_a_process_that_lived_for_moments_says_nothing() -> None:
    assert grown([100 + 10 * n for n in range(100)]) is None


def test_each_process_is_judged_by_itself_and_named() -> None:
    samples = MemorySamples()
    for n in range(200):
        samples.add("ingest", 11, 100)
        samples.add("timeline", 12, 100 + 3 * n)
    for _ in range(100):
        samples.add("timeline", 13, 90)
    (fault,) = memory_faults(samples)
    assert fault.startswith("timeline (process 12) grew from ")
    assert highest(samples) == {"ingest": 100, "timeline": 697}
