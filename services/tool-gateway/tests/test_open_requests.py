"""Answers that name no request: which request each of them ends."""

from mcp_types import JSONRPCNotification, JSONRPCRequest

from tarsy_tool_gateway.mcp.messages.open_requests import OpenRequests

ENDED_BY = "it answered under no id"


def asked(*ids: int) -> OpenRequests:
    requests = OpenRequests()
    ask(requests, *ids)
    return requests


def ask(requests: OpenRequests, *ids: int) -> None:
    for id in ids:
        requests.note_sent(JSONRPCRequest(jsonrpc="2.0", id=id, method="tools/call"))


def notify(requests: OpenRequests, method: str, **params: int) -> None:
    requests.note_sent(JSONRPCNotification(jsonrpc="2.0", method=method, params=params))


def stray(requests: OpenRequests, *, of_error: bool = False) -> list[int]:
    """The requests that it ends."""
    requests.note_stray(ENDED_BY, of_error=of_error)
    return ended(requests)


def ended(requests: OpenRequests) -> list[int]:
    return [id for id, _ in requests.match_strays()]


def test_the_only_request_that_waits_has_had_its_answer() -> None:
    assert stray(asked(1)) == [1]


def test_of_several_requests_none_ends_until_the_others_were_answered() -> None:
    requests = asked(1, 2, 3)
    assert stray(requests) == []
    requests.note_answered(1, 10)
    assert ended(requests) == []
    requests.note_answered(3, 10)
    assert ended(requests) == [2]


def test_as_many_strays_as_requests_end_them_all() -> None:
    requests = asked(1, 2)
    assert stray(requests) == []
    assert stray(requests) == [1, 2]


def test_a_request_that_was_sent_after_a_stray_is_not_ended_by_it() -> None:
    requests = asked(1, 2)
    assert stray(requests) == []
    ask(requests, 3)
    requests.note_answered(1, 10)
    assert ended(requests) == [2]
    assert requests.method_of(3) == "tools/call"


def test_an_error_that_answers_a_notification_ends_no_request() -> None:
    requests = OpenRequests()
    notify(requests, "notifications/initialized")
    ask(requests, 1)
    assert stray(requests, of_error=True) == []
    requests.note_answered(1, 10)
    ask(requests, 2)
    assert stray(requests, of_error=True) == [2]


def test_an_answer_that_comes_late_or_again_is_known() -> None:
    requests = asked(1, 2)
    requests.note_answered(1, 10)
    notify(requests, "notifications/cancelled", requestId=2)
    assert requests.has_ended(2, 77)
    assert requests.has_ended(1, 10)
    assert not requests.has_ended(1, 11)
    assert not requests.has_ended(3, 10)
