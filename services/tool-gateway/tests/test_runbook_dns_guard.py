"""Which machines a runbook may come from, once the DNS has said where its host is."""

import pytest

from tarsy_contracts.runbook_urls import RunbookUrlRefusedError, read_runbook_url
from tarsy_tool_gateway.builtin.runbooks.dns_guard import ResolvedAddress, resolve_endpoints

BY_NAME = "https://wiki.example.org/x"
BELOW = "https://wiki.example.com/x"
LISTED = ("wiki.example.org", ".example.com", "127.0.0.1:8080", "[::1]:8080", "localhost:8080")


async def reached(url: str, *addresses: str) -> list[str]:
    async def lookup(_: str, port: int) -> list[ResolvedAddress]:
        return [ResolvedAddress(address, port) for address in addresses]

    return [place.address for place in await resolve_endpoints(read_runbook_url(url), domains=LISTED, lookup=lookup)]


@pytest.mark.parametrize("address", ["140.82.121.4", "2606:50c0:8000::154", "64:ff9b::8c52:7904"])
@pytest.mark.parametrize("url", [BY_NAME, BELOW])
async def test_the_public_network_is_open(url: str, address: str) -> None:
    assert await reached(url, address) == [address]


INNER = ["10.1.2.3", "192.168.1.1", "172.16.0.1", "100.64.0.1", "fd00::1", "::ffff:10.1.2.3", "64:ff9b::a01:203"]


@pytest.mark.parametrize("address", INNER)
async def test_an_inner_network_is_open_for_hosts_that_are_listed_by_name(address: str) -> None:
    assert await reached(BY_NAME, address) == [address]
    with pytest.raises(RunbookUrlRefusedError, match="leads into a network"):
        await reached(BELOW, address)


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "127.9.9.9",
        "::1",
        "169.254.169.254",
        "fe80::1",
        "fe80::1%eth0",
        "::ffff:127.0.0.1",
        "::ffff:169.254.169.254",
        "64:ff9b::a9fe:a9fe",
        "2002:7f00:1::",
        "0.0.0.0",
        "::",
        "224.0.0.1",
        "240.0.0.1",
        "255.255.255.255",
    ],
)
@pytest.mark.parametrize("url", [BY_NAME, BELOW])
async def test_this_machine_and_its_neighbours_are_closed(url: str, address: str) -> None:
    with pytest.raises(RunbookUrlRefusedError):
        await reached(url, address)


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("http://127.0.0.1:8080/x", "127.0.0.1"),
        ("http://[0:0::1]:8080/x", "::1"),
        ("http://localhost:8080/x", "127.0.0.1"),
        ("http://localhost:8080/x", "::1"),
    ],
)
async def test_this_machine_is_open_when_it_is_listed_as_such(url: str, address: str) -> None:
    assert await reached(url, address) == [address]


async def test_closed_addresses_are_left_out() -> None:
    assert await reached(BELOW, "10.0.0.1", "140.82.121.4", "127.0.0.1") == ["140.82.121.4"]
