"""How many processes of each service."""

import pytest

from tarsy_local.instance_counts import SERVICES, InvalidInstanceCountsError, parse_instance_counts


def test_what_is_not_named_is_there_once_and_ingest_twice() -> None:
    once = dict.fromkeys(SERVICES, 1)
    assert parse_instance_counts([]) == {**once, "ingest": 2}
    assert parse_instance_counts(["tool-gateway=3", "ingest=1"]) == {**once, "tool-gateway": 3}


@pytest.mark.parametrize("given", ["gateway=3", "tool_gateway=3", "=3", ""])
def test_a_service_that_is_none_is_refused_with_those_that_are(given: str) -> None:
    with pytest.raises(InvalidInstanceCountsError) as refused:
        parse_instance_counts([given])
    assert all(service in str(refused.value) for service in SERVICES)


@pytest.mark.parametrize("number", ["0", "-1", "21", "1000000", "two", "", "1.5", "²"])
def test_a_number_that_makes_no_sense_is_refused_with_those_that_do(number: str) -> None:
    with pytest.raises(InvalidInstanceCountsError, match="a number from 1 to 20"):
        parse_instance_counts([f"timeline={number}"])
