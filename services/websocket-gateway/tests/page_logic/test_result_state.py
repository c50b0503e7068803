"""What the page knows of a long result, and of the difference of two questions: its pure modules are called."""

from typing import Any

import pytest

from page_logic.node_process import PAGE, Node

type Json = dict[str, Any]


def called(node: Node, module: str, body: str, *given: object) -> Any:
    """`body` is an expression of `m`, the module, and `given`."""
    script = f"async ([address, ...given]) => {{ const m = await import(address); return {body}; }}"
    return node.evaluate(script, [f"{PAGE}/state/{module}.js", *given])


def line(number: int, text: str = "x", *, byte: int = 0, matches: bool = True, goes_on: bool = False) -> Json:
    return {"number": number, "byte": byte, "text": text, "matches": matches, "goes_on": goes_on}


def answer(*lines: Json, count: int = 0, complete: bool = True, next: Json | None = None) -> Json:
    matches = {"count": count, "shown": len(lines), "complete": complete}
    return {"lines": list(lines), "next": next, "matches": matches, "total_lines": 100}


@pytest.mark.parametrize(
    ("summary", "found"),
    [
        ("It says `connection refused` often.", ["connection\\s+refused"]),
        ('The log has "OOMKilled (137)." in it.', ["OOMKilled\\s+\\(137\\)\\."]),
        ("> exit code [1]\nand no more", ["exit\\s+code\\s+\\[1\\]"]),
        ("```text\nfirst line of it\n\n  second line of it\n```\nnothing", ["first\\s+line\\s+of\\s+it",
                                                                         "second\\s+line\\s+of\\s+it"]),
        ("It had “out of … memory now”.", ["out\\s+of.*memory\\s+now"]),
        ("`short` and `also short` and `also short`", ["also\\s+short"]),
        ("Nothing is quoted here.", []),
        ("", []),
    ],
)  # fmt: skip
def test_pieces_that_a_summary_quotes_are_searched_for(node: Node, summary: str, found: list[str]) -> None:
    assert called(node, "quoted_pieces", "m.piecesOf(given[0]).map((one) => one.search)", summary) == found


def test_there_are_only_so_many_pieces_and_none_is_too_long_for_a_search(node: Node) -> None:
    many = "\n".join(f"`piece number {number}`" for number in range(50))
    assert called(node, "quoted_pieces", "m.piecesOf(given[0]).length", many) == 16
    (found,) = called(node, "quoted_pieces", "m.piecesOf(given[0])", f"`{'ab ' * 5_000}`")
    assert len(found["search"]) <= 500
    assert called(node, "quoted_pieces", "m.piecesOf(given[0])", f"`{'.' * 5_000}`") == []


def test_lines_that_a_summary_names_are_those_of_the_result(node: Node) -> None:
    summary = "Lines 20 to 30, line 1,024, line 5 and line 20; deadline 7, line 99999."
    quoted = "\n> see line 7\n`line 8`\n```\nline 9\n```\n"
    named = "m.namedLines(given[0], 2000)"
    assert called(node, "quoted_pieces", named, f"{summary}{quoted}") == [5, 20, 30, 1024]


@pytest.mark.parametrize(
    ("found", "lines"),
    [
        (answer(line(4), line(3, matches=False), line(9), count=2), [4, 9]),
        (answer(line(4), line(4, byte=900), count=1), [4]),
        (answer(), None),
        (answer(line(4), count=500), None),
    ],
    ids=["those that match", "a long line once", "none", "a word that stands everywhere"],
)
def test_what_was_found_says_which_lines_are_quoted(node: Node, found: Json, lines: list[int] | None) -> None:
    body = "m.quotationOf({ text: 'a', search: 'a' }, given[0])?.lines ?? null"
    assert called(node, "quoted_pieces", body, found) == lines


HITS = """(() => {
    let hits = m.firstHits(given[0]);
    const seen = [];
    for (const step of given[1]) {
        hits = typeof step === "number" ? m.moved(hits, step) : m.moreHits(hits, step);
        seen.push([m.currentHit(hits)?.number ?? null, m.rankOf(hits), hits.count]);
    }
    return seen;
})()"""


def test_hits_are_gone_through_and_more_are_read_behind_them(node: Node) -> None:
    first = answer(line(1), line(5), line(5, byte=900), count=4, next={"offset": 6, "byte": 0})
    more = answer(line(5, byte=900), line(8), line(9, matches=False), count=2)
    steps = [0, 1, 1, 1, more, 1, -9]
    assert called(node, "result_hits", HITS, first, steps) == [
        [1, 1, 4], [5, 2, 4], [5, 2, 4], [5, 2, 4], [8, 3, 4], [8, 3, 4], [1, 1, 4],
    ]  # fmt: skip


def test_a_search_that_was_stopped_counts_what_it_has_found(node: Node) -> None:
    first = answer(line(1), count=1, complete=False, next={"offset": 2, "byte": 0})
    more = answer(line(7), line(8), count=2)
    assert called(node, "result_hits", HITS, first, [0, more]) == [[1, 1, 1], [7, 2, 3]]
    assert called(node, "result_hits", HITS, answer(), [0, 1]) == [[None, 0, 0], [None, 0, 0]]


def test_lines_far_from_what_is_read_are_forgotten_and_long_ones_are_cut(node: Node) -> None:
    body = """(() => {
        const known = new Map();
        m.addLines(known, given[0]);
        const missing = m.firstMissing(known, { first: 10, end: 40 });
        m.keepNear(known, { first: 10, end: 12 }, 3);
        return [missing, [...known.keys()], known.get(10)];
    })()"""
    lines = [*(line(number) for number in range(30)), line(29, byte=5)]
    lines[10] = line(10, "y" * 5_000)
    missing, kept, long = called(node, "result_lines", body, lines)
    assert missing == 30
    assert sorted(kept) == [10, 11, 12]
    assert (len(long["text"]), long["isCut"]) == (1_000, True)


@pytest.mark.parametrize(
    ("first", "count", "total", "window"),
    [(0, 20, 5, (0, 5)), (0, 20, 1_000, (0, 50)), (500, 20, 1_000, (470, 550)), (999, 20, 1_000, (950, 1_000))],
)
def test_the_window_has_what_is_seen_and_some_around_it(
    node: Node, first: int, count: int, total: int, window: tuple[int, int]
) -> None:
    found = called(node, "result_window", "m.windowAround(...given)", first, count, total)
    assert (found["first"], found["end"]) == window
    assert not called(node, "result_window", "m.isTooFar(...given)", found, first, count, total)


def test_a_text_of_millions_of_lines_is_not_higher_than_a_browser_can_draw(node: Node) -> None:
    unit = called(node, "result_window", "m.unitOf(30_000_000, 20)")
    assert unit * 30_000_000 <= 8_000_000
    assert called(node, "result_window", "m.unitOf(100_000, 20)") == 20
    assert called(node, "result_window", "m.lineBelow(10, 45, 100, 20)") == 12
    assert called(node, "result_window", "m.lineBelow(10, 4_500, 100, 20)") == 99


def message(content: str, **more: object) -> Json:
    rest: Json = {"tool_calls": [], "tool_call_id": None, "tool_name": None, "is_error": False, "opaque": None}
    return {"role": "user", "content": content, **rest, **more}


def test_messages_are_as_before_changed_or_new(node: Node) -> None:
    before = [message("a"), message("b"), message("c"), message("d")]
    now = [message("a"), message("b"), message("C"), message("d", opaque={"s": 1}), message("e")]
    body = "m.differenceOf(...given).map(({ kind, messages }) => [kind, messages.map((one) => one.place)])"
    assert called(node, "record_difference", body, before, now) == [
        ["same", [0, 1]], ["changed", [2, 3]], ["new", [4]],
    ]  # fmt: skip
    assert called(node, "record_difference", body, [], before) == [["new", [0, 1, 2, 3]]]
    assert called(node, "record_difference", "m.removedCount(...given)", now, before) == 1


def test_a_question_follows_the_one_of_its_kind(node: Node) -> None:
    def one(id: str, kind: str, step: str = "") -> Json:
        return {"id": id, "interaction_type": kind, "timeline_event_ids": [step]}

    calls = [
        one("a", "iteration", "thought"), one("s1", "summarization", "s"), one("t", "summarization", "t"),
        one("s2", "summarization", "s"), one("b", "forced_conclusion", "answer"),
    ]  # fmt: skip
    body = "given[0].map((call) => m.callBefore(given[0], call)?.id ?? null)"
    assert called(node, "record_calls", body, calls) == [None, None, None, "s1", "a"]
    trace = {"stages": [{"executions": [{"llm_interactions": calls}]}]}
    steps = "given[1].map((step) => m.callOfStep(given[0], step))"
    assert called(node, "record_calls", steps, trace, ["s", "answer", "unknown"]) == ["s2", "b", ""]
