"""The rule by which all readers of the tokens' topic find the same token, and the same gateway to renew it."""

from datetime import UTC, datetime, timedelta

from tarsy_contracts.messages.mcp_tokens import (
    CLAIM_SECONDS,
    McpRefreshClaimed,
    McpTokenSealed,
    token_key,
    token_of_key,
)
from tarsy_tool_gateway.mcp.logins.token_records import TokenRecords

NAME = "jira"
BEGAN = datetime(2026, 11, 26, 12, tzinfo=UTC)


def token(records: TokenRecords, number: int, id: str, server: str = NAME) -> None:
    records.accept_token(McpTokenSealed(server=server, number=number, sealed=id), token_key(server, number, id))


def claim(records: TokenRecords, number: int, claimant: str, seconds: float = 0.0) -> None:
    records.accept_claim(
        McpRefreshClaimed(server=NAME, number=number, claimant=claimant), BEGAN + timedelta(seconds=seconds)
    )


def counting(records: TokenRecords, server: str = NAME) -> str | None:
    found = records.token(server)
    return found.sealed if found is not None else None


def test_the_first_record_of_the_highest_number_counts() -> None:
    records = TokenRecords()
    for number, id in ((1, "login"), (2, "renewal"), (2, "late renewal"), (1, "very late")):
        token(records, number, id)
    assert (counting(records), records.next_number(NAME)) == ("renewal", 3)
    assert records.list_superseded(NAME) == ["jira/1/login", "jira/1/very late", "jira/2/late renewal"]
    token(records, 1, "another server's", server="grafana")
    assert (counting(records), counting(records, "grafana")) == ("renewal", "another server's")


def test_a_reader_of_the_compacted_topic_finds_what_those_before_it_found() -> None:
    """Older numbers have their tombstones; a record that was dropped then is still there, or not."""
    for kept in ([(2, "late renewal"), (3, "login")], [(3, "login")], [(3, "login"), (3, "late login")]):
        records = TokenRecords()
        for number, id in kept:
            token(records, number, id)
        assert counting(records) == "login"


def test_a_tombstone_takes_its_own_record_only() -> None:
    records = TokenRecords()
    token(records, 1, "login")
    token(records, 2, "renewal")
    records.drop(NAME, "jira/1/login")
    assert (counting(records), records.list_superseded(NAME)) == ("renewal", [])
    token(records, 1, "login")
    records.drop(NAME, "jira/2/renewal")
    assert counting(records) == "login", "as for a reader of the compacted topic"
    records.drop(NAME, "jira/1/login")
    assert (counting(records), records.next_number(NAME)) == (None, 1)


def test_the_first_claim_of_a_number_holds_until_its_time_is_up() -> None:
    records = TokenRecords()
    token(records, 1, "login")
    claim(records, 1, "a")
    claim(records, 1, "b", seconds=CLAIM_SECONDS - 1)
    assert records.holder(NAME, 1) == "a"
    claim(records, 1, "b", seconds=CLAIM_SECONDS)
    assert records.holder(NAME, 1) == "b"


def test_a_gateway_prolongs_its_own_claim() -> None:
    records = TokenRecords()
    token(records, 1, "login")
    claim(records, 1, "a")
    claim(records, 1, "a", seconds=CLAIM_SECONDS - 1)
    claim(records, 1, "b", seconds=CLAIM_SECONDS + 1)
    assert records.holder(NAME, 1) == "a"


def test_a_claim_of_another_number_than_the_one_that_counts_is_nobodys() -> None:
    records = TokenRecords()
    token(records, 1, "login")
    claim(records, 1, "a")
    token(records, 2, "renewal")
    claim(records, 1, "late")
    claim(records, 3, "early")
    assert (records.holder(NAME, 2), records.holder(NAME, 3)) == (None, None)
    claim(records, 2, "b")
    claim(records, 1, "late")
    assert records.holder(NAME, 2) == "b"


def test_keys_of_tokens_are_told_from_others() -> None:
    assert token_of_key(token_key("my-server", 7, "x")) == ("my-server", 7)
    assert [token_of_key(key) for key in ("my-server/claim", "my-server", "", "my-server/x/y")] == [None] * 4
    assert token_of_key(f"my-server/{'9' * 5_000}/x") is None


def test_a_record_that_is_written_again_comes_last_as_in_the_compacted_topic() -> None:
    live, restarted = TokenRecords(), TokenRecords()
    for id in ("login", "late login", "login"):
        token(live, 3, id)
    for id in ("late login", "login"):
        token(restarted, 3, id)
    assert counting(live) == counting(restarted) == "late login"


def test_a_number_that_no_server_counts_to_shuts_nobody_out() -> None:
    """A key has eighteen digits at most: the next login had a number of nineteen, and did not count."""
    records = TokenRecords()
    token(records, 1, "login")
    token(records, 10**18 - 1, "foreign")
    assert (counting(records), records.next_number(NAME)) == ("login", 2)
