"""How many processes of each service."""

import pytest

from tarsy_local.instance_counts import SERVICES, InstancesInvalid, read_instances


def test_what_is_not_named_is_there_once() -> None:
    assert read_instances([]) == dict.fromkeys(SERVICES, 1)
    assert read_instances(["tool-gateway=3", "timeline=2"]) == {
        **dict.fromkeys(SERVICES, 1),
        "tool-gateway": 3,
        "timeline": 2,
    }


@pytest.mark.parametrize("given", ["gateway=3", "tool_gateway=3", "=3", ""])
def test_a_service_that_is_none_is_refused_with_those_that_are(given: str) -> None:
    with pytest.raises(InstancesInvalid) as refused:
        read_instances([given])
    assert all(service in str(refused.value) for service in SERVICES)


@pytest.mark.parametrize("number", ["0", "-1", "21", "1000000", "two", "", "1.5", "²"])
def test_a_number_that_makes_no_sense_is_refused_with_those_that_do(number: str) -> None:
    with pytest.raises(InstancesInvalid, match="a number from 1 to 20"):
        read_instances([f"timeline={number}"])
