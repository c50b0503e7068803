"""Derived ids: pinned, since an old alert must meet its session after every upgrade."""

from collections.abc import Callable
from uuid import UUID, uuid5

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarsy_contracts.wire import ids

A = "11111111-1111-5111-8111-111111111111"
B = "22222222-2222-5222-8222-222222222222"

# Computed once, and never changed: a new value would let an alert that was sent before an upgrade start a second
# session after it, and let every owner owe its calls again.
VECTORS: dict[str, tuple[Callable[[], str], str]] = {
    "derived": (lambda: ids.derive_id("kind", "part", 7), "41d602d8-0523-5399-8290-e5f9e533505a"),
    "alertmanager": (
        lambda: ids.session_of_alertmanager(fingerprint="c0ffee", starts_at="2026-11-22T03:00:00Z"),
        "5c10dd68-092b-53d1-9ba4-32eb66a12085",
    ),
    "beside": (lambda: ids.session_beside(A, B, 12), "11111111-1111-5111-8111-11111111111d"),
    "grafana": (
        lambda: ids.session_of_grafana(org=1, fingerprint="c0ffee", starts_at="2026-11-22T03:00:00Z"),
        "f9fd5973-0760-5d29-9d20-379aeb725ce4",
    ),
    "usage digest": (
        lambda: ids.usage_digest_id(cluster="c", topic="tarsy.sessions", last_day="2026-11-22"),
        "02d89d10-a41c-5b11-82cf-d228a64412b3",
    ),
    "pagerduty incident": (
        lambda: ids.session_of_pagerduty_incident(incident="Q1"),
        "5693a13d-c813-5fb1-9b11-7f3364bdd96e",
    ),
    "pagerduty event": (
        lambda: ids.session_of_pagerduty_event(dedup_key="disk/db-1"),
        "caa4a828-3431-5526-8230-9b6fd8931a8b",
    ),
    "cloudevent": (lambda: ids.session_of_cloudevent(source="/pager", id="42"), "cf6eac22-e720-5bd3-9ae6-57d3d3540357"),
    "idempotency key": (
        lambda: ids.session_of_idempotency_key(caller="ann", key="k1"),
        "738a49b4-d4b7-57bd-a551-9d9d301217d0",
    ),
    "record": (
        lambda: ids.session_of_record(cluster="c", topic="tarsy.alerts", partition=3, offset=99),
        "34a5b13b-c566-500f-b8f7-e70cebe0ca79",
    ),
    "dead letter": (
        lambda: ids.dead_letter_id(cluster="c", topic="tarsy.alerts", partition=3, offset=99),
        "5d213e59-c11a-5e26-87ff-ff2b932523c7",
    ),
    "rerun": (lambda: ids.session_of_rerun(A, "r"), "cb85cf41-44d8-5aec-af9e-b2f25b124de6"),
    "stage": (lambda: ids.stage_id(A, 1), "9c6e0770-987c-5b22-a47e-dd659644bbb6"),
    "execution": (lambda: ids.execution_id(A, 1), "ec6ddcce-ad35-55cb-9691-c0dc8431d092"),
    "llm call": (lambda: ids.llm_call_id(A, 2, 3), "953196e2-698d-5342-bdbd-66c0bf76fd9e"),
    "tool call": (lambda: ids.tool_call_id(A, 0), "5adff24f-a609-5352-a7f0-9dcfedb0caee"),
    "summary": (lambda: ids.summary_id(A), "0e6e0587-f85f-52b5-b4e8-bc4a6fc669a2"),
    "summary attempt": (lambda: ids.summary_attempt_id(A, 1), "27cb20c4-9ecd-5f94-8536-5e7b195949e4"),
    "tool list": (lambda: ids.tool_list_id(A, "kubernetes"), "e850d643-ccfe-5fd1-80f5-174218276c9b"),
    "timeline event": (lambda: ids.timeline_event_id(A, "llm_tool_call"), "1af5f9b5-6235-5435-978f-3b3aa3685333"),
    "report": (lambda: ids.report_id("claim", A, "claim-1"), "d4deb6aa-f9f7-56dc-bb1e-a39f1d815451"),
}


@pytest.mark.parametrize("name", VECTORS)
def test_a_derived_id_never_changes(name: str) -> None:
    derive, expected = VECTORS[name]
    assert derive() == expected
    assert UUID(expected).version == 5


def test_the_trace_of_a_session_never_changes() -> None:
    """Spans of an upgrade's both sides hang under one root."""
    assert ids.session_traceparent(A) == "00-11111111111151118111111111111111-e8055ccb993103d1-01"


def test_the_spans_of_an_agent_and_of_a_reply_never_change() -> None:
    """Whoever works for an agent after a take-over hangs its span where the owner before hung its own."""
    assert ids.execution_traceparent(A, B) == "00-11111111111151118111111111111111-16049b5aa74b9fc4-01"
    assert ids.reply_traceparent(A, B) == "00-11111111111151118111111111111111-c93cefe64c810609-01"


def test_what_belongs_to_no_agent_hangs_under_the_root() -> None:
    assert ids.execution_traceparent(A, "") == ids.session_traceparent(A)


def test_a_cause_from_another_trace_does_not_lead_out_of_the_session_s() -> None:
    own, foreign = f"00-{UUID(A).hex}-00f067aa0ba902b7-01", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    assert ids.session_traceparent(A, own) == own
    for cause in (foreign, "", "nonsense", "00"):
        assert ids.session_traceparent(A, cause) == ids.session_traceparent(A)


def test_what_is_no_session_s_id_has_a_context_all_the_same() -> None:
    assert len(ids.session_traceparent("../x")) == len(ids.session_traceparent(A))


def test_every_function_has_its_own_ids() -> None:
    assert len({expected for _, expected in VECTORS.values()}) == len(VECTORS)


def test_two_callers_may_use_the_same_key() -> None:
    one, other = (ids.session_of_idempotency_key(caller=caller, key="k1") for caller in ("ann", "bob"))
    assert one != other


# Few different characters, among them those of the encoding itself: what looks alike is found soon.
parts = st.lists(st.text("1:a", max_size=4), max_size=4)


@given(kinds := st.text("1:a", min_size=1, max_size=3), parts, kinds, parts)
def test_two_different_lists_of_parts_never_give_the_same_id(
    kind: str, some: list[str], other_kind: str, others: list[str]
) -> None:
    same = (kind, some) == (other_kind, others)
    assert (ids.derive_id(kind, *some) == ids.derive_id(other_kind, *others)) is same


@given(st.lists(st.text(max_size=5), min_size=1, max_size=4), st.integers(0, 20))
def test_a_part_cut_in_two_gives_another_id(some: list[str], place: int) -> None:
    """Where one part ends and the next begins counts, not only what they say together."""
    whole = "".join(some)
    place = min(place, len(whole))
    assert ids.derive_id("k", whole) != ids.derive_id("k", whole[:place], whole[place:])


@given(st.text(), st.lists(st.text() | st.integers(), max_size=4))
def test_every_derived_id_is_the_uuid5_of_its_parts(kind: str, parts: list[str | int]) -> None:
    texts = [kind, *map(str, parts)]
    named = "".join(f"{len(text)}:{text}" for text in texts)
    assert ids.derive_id(kind, *parts) == str(uuid5(ids.NAMESPACE, named))
