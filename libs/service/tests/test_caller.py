"""Who asks, and under which idempotency key."""

import pytest

from tarsy_auth.identity import Identity
from tarsy_auth.roles import Role
from tarsy_service.access.caller import IDENTITY, LONGEST_AUTHOR, LONGEST_KEY, OTHER_BODY, KeyedBodies, caller_of
from tarsy_service.http.problems import ProblemError
from tarsy_testing.access import request_with


@pytest.mark.parametrize(
    ("headers", "name"),
    [
        ({}, "api-client"),
        ({"x-remote-user": "rosa"}, "rosa"),
        ({"x-remote-user": "rosa", "x-forwarded-email": "ana@example.com"}, "ana@example.com"),
        ({"x-forwarded-email": "ana@example.com", "x-forwarded-user": " ana "}, "ana"),
        ({"x-forwarded-user": " ", "x-remote-user": "rosa"}, "rosa"),
    ],
)
def test_the_caller_is_whom_the_proxy_names(headers: dict[str, str], name: str) -> None:
    assert caller_of(request_with(headers)).name == name


def test_a_door_says_who_it_is_when_nobody_is_named() -> None:
    assert caller_of(request_with({}), otherwise="alertmanager").name == "alertmanager"


def test_whoever_is_authenticated_has_the_name_of_his_identity_whatever_headers_say() -> None:
    identity = Identity("ann", Role.VIEWER, "api_key", "k1")
    caller = caller_of(request_with({"x-forwarded-user": "root", "idempotency-key": "k"}, identity))
    assert (caller.name, caller.scope, caller.key) == ("ann", "ann", "k")


def test_on_an_open_route_of_a_service_that_authenticates_headers_name_nobody() -> None:
    request = request_with({"x-forwarded-user": "root"})
    request.scope[IDENTITY] = None
    assert caller_of(request).name == "api-client"


def test_an_author_is_cut_after_masking_and_the_scope_of_keys_is_not_masked() -> None:
    long = "x" * (LONGEST_AUTHOR - 4) + " s3cret"
    caller = caller_of(request_with({"x-forwarded-user": long}))
    assert caller.author(lambda text: text.replace("s3cret", "*")) == "x" * (LONGEST_AUTHOR - 4) + " *"
    assert caller.scope == long[:LONGEST_AUTHOR]


@pytest.mark.parametrize("key", ["", " ", "k" * (LONGEST_KEY + 1)])
def test_what_cannot_be_a_key_is_refused(key: str) -> None:
    with pytest.raises(ProblemError) as refused:
        caller_of(request_with({"idempotency-key": key}))
    assert refused.value.status == 400


def test_without_a_key_there_is_none() -> None:
    assert caller_of(request_with({})).key is None
    assert caller_of(request_with({"idempotency-key": "k"})).key == "k"


def test_the_same_key_with_another_body_is_refused_and_with_the_same_it_is_not() -> None:
    bodies = KeyedBodies()
    for _ in range(2):
        bodies.check("one", b"a")
        bodies.check("two", b"b")
    with pytest.raises(ProblemError) as refused:
        bodies.check("one", b"b")
    assert (refused.value.status, refused.value.detail) == (422, OTHER_BODY)
    bodies.check("one", b"a")


def test_keys_that_were_not_used_for_longest_are_forgotten() -> None:
    bodies = KeyedBodies(most=2)
    for key in ("one", "two", "one", "three"):
        bodies.check(key, b"a")
    bodies.check("two", b"b")
    bodies.check("three", b"a")
    with pytest.raises(ProblemError):
        bodies.check("three", b"b")
