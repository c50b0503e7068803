"""Memory is flat when the line through the second half of a process's life does not rise."""

from tarsy_soak.memory import MemorySamples, Sample, grown, highest, kept_memory, memory_faults
from tarsy_soak.progress import Interval


def test_a_process_that_warms_up_and_stays_there_is_flat() -> None:
    assert grown([50 + min(n, 30) * 2 for n in range(200)]) is None


def test_a_process_that_grows_to_its_end_is_not() -> None:
    before, after = grown([100 + n for n in range(200)]) or (0, 0)
    assert 90 < after - before < 110


def test_a_high_plateau_in_the_second_half_that_ends_is_no_growth() -> None:
    assert grown([100.0 + (800.0 if 120 <= n < 150 else 0.0) for n in range(200)]) is None


def test_peaks_are_no_growth() -> None:
    assert grown([100.0 + (300.0 if n % 10 == 0 else 0.0) for n in range(200)]) is None


def test_a_process_that_lived_for_moments_says_nothing() -> None:
    assert grown([100 + 10 * n for n in range(100)]) is None


def test_each_process_is_judged_by_itself_and_named() -> None:
    samples = MemorySamples()
    for n in range(200):
        samples.add("ingest", 11, Sample(n, 100))
        samples.add("timeline", 12, Sample(n, 100 + 3 * n))
    for n in range(100):
        samples.add("timeline", 13, Sample(n, 90))
    (fault,) = memory_faults(samples)
    assert fault.startswith("timeline (process 12) grew from ")
    assert highest(samples) == {"ingest": 100, "timeline": 697}


HOSTILE = Interval(100, 120)


def gateway(mb_after: float, service: str = "tool-gateway") -> MemorySamples:
    """Hostile servers make it take 900 MB, and it has `mb_after` when they are gone."""
    samples = MemorySamples()
    for n in range(0, 240, 2):
        samples.add(service, 21, Sample(n, 100 if n < 100 else 900 if n < 130 else mb_after))
    return samples


def test_a_gateway_that_keeps_what_hostile_servers_made_it_take_is_found() -> None:
    assert list(kept_memory(gateway(900), [HOSTILE])) == [
        "tool-gateway (process 21) had 100 MB before hostile servers and 900 MB a minute after"
    ]


def test_a_gateway_that_gives_it_back_is_well_and_only_gateways_are_asked() -> None:
    assert list(kept_memory(gateway(149), [HOSTILE])) == []
    assert list(kept_memory(gateway(900, "timeline"), [HOSTILE])) == []


def test_a_minute_in_which_others_came_tells_nothing_of_those_before() -> None:
    assert list(kept_memory(gateway(900), [HOSTILE, Interval(150, 160)])) == []
