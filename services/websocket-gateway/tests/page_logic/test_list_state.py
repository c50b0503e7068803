"""What the list of sessions is made of: its search, its rows, their sections and where they stand."""

from typing import Any

import pytest

from page_logic.node_process import PAGE, Node
from tarsy_testing.browser.listed_sessions import NOW, Row, session, status_of, wire


def call(node: Node, module: str, code: str, *given: object) -> Any:
    """`code` is a function of the module's exports, and of what is given."""
    script = f"async ([path, given]) => ({code})(await import(path), ...given)"
    return node.evaluate(script, [f"{PAGE}/{module}", list(given)])


@pytest.mark.parametrize(
    ("text", "words", "filters"),
    [
        ("", "", {}),
        ("checkout crashes", "checkout crashes", {}),
        ('status:failed severity:critical "out of memory"', '"out of memory"',
         {"status": "failed", "severity": "critical"}),
        ("ns:shop cluster:prod workload:api type:crash chain:k8s id:s-1", "",
         {"ns": "shop", "cluster": "prod", "workload": "api", "type": "crash", "chain": "k8s", "id": "s-1"}),
        ('type:"pod crash" disk', "disk", {"type": "pod crash"}),
        ("Namespace:shop alert_type:crash", "", {"ns": "shop", "type": "crash"}),
        ("status:running,waiting", "", {"status": "in_progress,pending"}),
        ("http://shop:8080 error:5", "http://shop:8080 error:5", {}),
        ("status: ns:", "status: ns:", {}),
        ("ns:one ns:two", "", {"ns": "two"}),
        ("constructor:x __proto__:y", "constructor:x __proto__:y", {}),
    ],
)  # fmt: skip
def test_a_search_is_read_as_it_is_meant_and_written_so_that_it_is_read_the_same(
    node: Node, text: str, words: str, filters: dict[str, str]
) -> None:
    found, again = call(
        node, "state/search_query.js",
        "(m, text) => { const one = m.parseSearch(text); return [one, m.parseSearch(m.writeSearch(one))]; }", text,
    )  # fmt: skip

    assert found == {"words": words, "filters": filters}
    assert again == found


@pytest.mark.parametrize(
    ("link", "parameters"),
    [
        ("/", {}),
        ("/?q=crash+status%3Afailed", {"search": "crash", "status": "failed"}),
        ("/?q=ns%3A%22a+b%22&span=hour", {"namespace": "a b", "start_date": "2026-11-26T17:00:00.000Z"}),
        ("/?from=2026-11-01T00%3A00%3A00.000Z&until=2026-11-02T00%3A00%3A00.000Z",
         {"start_date": "2026-11-01T00:00:00.000Z", "end_date": "2026-11-02T00:00:00.000Z"}),
        ("/?q=ab", {}),
    ],
    ids=["nothing", "words and a filter", "a span", "two times", "too short for the API"],
)  # fmt: skip
def test_an_address_holds_the_whole_search(node: Node, link: str, parameters: dict[str, str]) -> None:
    found = call(
        node, "state/search_query.js",
        """(m, address, now) => {
            const query = m.fromAddress(new URL(address, "http://x").searchParams);
            return [m.toAddress(query), m.toParameters(query, Date.parse(now))];
        }""",
        link, wire(NOW),
    )  # fmt: skip

    assert found == [link, parameters]


@pytest.mark.parametrize("link", ["/?span=year", "/?from=yesterday", "/?span=constructor", "/?page=7"])
def test_what_an_address_does_not_mean_is_left_out(node: Node, link: str) -> None:
    code = '(m, address) => m.toAddress(m.fromAddress(new URL(address, "http://x").searchParams))'

    assert call(node, "state/search_query.js", code, link) == "/"


def test_saved_views_are_bounded_and_what_is_no_view_is_left_out(node: Node) -> None:
    found = call(
        node, "state/saved_views_state.js",
        """(m) => {
            let views = [];
            for (let number = 0; number < 30; number += 1) {
                views = m.withView(views, { name: `v${number}`, address: "/" });
            }
            const one = m.withView([], { name: "  Shop ", address: "/?q=ns%3Ashop" });
            const texts = [null, "{", "7", '[7, {"name": "x", "address": "https://evil.example"}, {"name": "y"}]'];
            return {
                count: views.length, last: views.at(-1).name, one,
                again: m.withView(one, { name: "Shop", address: "/" }), gone: m.without(one, "Shop"),
                read: m.readViews(JSON.stringify(one)), bad: texts.map((text) => m.readViews(text).length),
                elsewhere: m.withView([], { name: "x", address: "//evil.example" }),
            };
        }""",
    )  # fmt: skip

    one = [{"name": "Shop", "address": "/?q=ns%3Ashop"}]
    assert found == {
        "count": 20, "last": "v29", "one": one, "again": [{"name": "Shop", "address": "/"}], "gone": [], "read": one,
        "bad": [0, 0, 0, 0], "elsewhere": [],
    }  # fmt: skip


def test_a_line_is_worded_as_people_say_it(node: Node) -> None:
    activity = {
        "stage": 2, "stages": 3, "stage_name": "look", "agent": "K8s", "iteration": 4, "iteration_limit": 20,
        "server": "kubernetes", "tool": "pods_log", "since": "2026-11-26T17:59:48Z",
    }  # fmt: skip
    thinking = {**activity, "stages": 1, "tool": None, "server": None}
    rows = [
        session(1, outcome="It was DNS."), session(2, executive_summary="**Roll** back `v2` now. Then wait."),
        session(3, "failed", error_message="The model refused. Twice."), session(4, "in_progress", outcome="x"),
    ]  # fmt: skip
    found = node.evaluate(
        """async ([assets, rows, activities, now]) => {
            const words = await import(`${assets}/words/list_words.js`);
            const { activityWords } = await import(`${assets}/words/activity_words.js`);
            const { fromRow } = await import(`${assets}/state/list_row.js`);
            const usage = (inputTokens, outputTokens, cost, isCostPartial) =>
                words.usageWords({ inputTokens, outputTokens, cost, isCostPartial });
            return {
                outcomes: rows.map((row) => words.outcomeWords(fromRow(row))),
                activities: activities.map((one) => activityWords(one, Date.parse(now))),
                ages: [5, 60, 3599, 7200, 200_000].map((seconds) => words.age(seconds * 1000)),
                usages: [usage(0, 0, null), usage(900, 0, null), usage(181_000, 9000, null), usage(2e6, 0, 1.5),
                    usage(2e6, 0, 1.5, true)],
                places: [1, 2, 3, 8, 11, 21].map((queuePosition) =>
                    words.waitingWords({ status: "pending", queuePosition })),
                severities: ["critical", "Warning", "info", "", null].map((one) =>
                    words.severityTone(one)),
                titles: [words.titleOf(0), words.titleOf(2)],
            };
        }""",
        [PAGE, rows, [activity, thinking], wire(NOW)],
    )

    assert found == {
        "outcomes": ["It was DNS.", "Roll back v2 now.", "The model refused.", ""],
        "activities": ["step 4 of 20 · kubernetes.pods_log · 12 s · stage 2 of 3", "step 4 of 20 · thinking · 12 s"],
        "ages": ["now", "1 min", "59 min", "2 h", "2 d"],
        "usages": ["", "900 tok", "190k tok", "2.0M · $1.50", "2.0M · at least $1.50"],
        "places": [f"{place} in queue" for place in ("1st", "2nd", "3rd", "8th", "11th", "21st")],
        "severities": ["bad", "warning", "plain", "plain", "plain"],
        "titles": ["TARSy", "(2) TARSy"],
    }


def sections(node: Node, rows: list[Row], *, unfolded: bool = False) -> list[list[object]]:
    """Kind, ids and the number of hidden ones."""
    found: list[list[object]] = call(
        node, "state/sessions_state.js",
        """async (m, assets, rows, isUnfolded) => {
            const { sectionsOf } = await import(`${assets}/state/list_sections.js`);
            const sessions = m.newSessions();
            m.takePage(sessions, rows);
            const ids = (rows) => rows.map((row) => row.id);
            return sectionsOf(sessions, isUnfolded).map((one) => [one.kind, ids(one.rows), one.hidden]);
        }""",
        PAGE, rows, unfolded,
    )  # fmt: skip
    return found


def test_what_runs_comes_first_then_who_waits_by_turn_then_each_day(node: Node) -> None:
    waiting = [session(20 + turn, "pending", queue_position=7 - turn) for turn in range(7)]
    rows = [session(1), session(2, "in_progress"), session(3, "cancelling"), session(3000), session(9), *waiting]

    assert sections(node, rows) == [
        ["running", ["s-00002", "s-00003"], 0],
        ["waiting", [f"s-{20 + turn:05}" for turn in (6, 5, 4, 3, 2)], 2],
        ["ended", ["s-00001", "s-00009"], 0],
        ["ended", ["s-03000"], 0],
    ]
    assert (sections(node, rows, unfolded=True))[1][2] == 0


def test_a_status_that_came_live_stays_until_the_api_knows_it(node: Node) -> None:
    found = call(
        node, "state/sessions_state.js",
        """(m, row, ended) => {
            const sessions = m.newSessions();
            m.takePage(sessions, [row]);
            const answered = [m.isAnswered(sessions, row.id)];
            m.takeStatus(sessions, ended);
            m.takeMore(sessions, [row]);
            answered.push(m.isAnswered(sessions, row.id));
            const [kept] = sessions.rows;
            m.takeMore(sessions, [{ ...row, status: "completed", last_number: 9, outcome: "It was DNS." }]);
            answered.push(m.isAnswered(sessions, row.id));
            return [answered, kept.status, sessions.rows[0].outcome];
        }""",
        session(1, "in_progress"), status_of("s-00001", "completed"),
    )  # fmt: skip

    assert found == [[True, False, True], "completed", "It was DNS."]


def test_an_answer_that_comes_after_a_later_one_changes_nothing(node: Node) -> None:
    found = call(
        node, "state/sessions_state.js",
        """(m, later, row) => [m.takePage, m.takeMore].map((take) => {
            const sessions = m.newSessions();
            m.takePage(sessions, [later]);
            take(sessions, [row]);
            const [{ status, outcome }] = sessions.rows;
            return [status, outcome, m.isAnswered(sessions, row.id)];
        })""",
        session(1, last_number=9, outcome="It was DNS."), session(1, "in_progress"),
    )  # fmt: skip

    assert found == [["completed", "It was DNS.", True]] * 2


def test_a_deleted_session_comes_back_only_when_it_has_begun_again(node: Node) -> None:
    found = call(
        node, "state/sessions_state.js",
        """(m, row) => {
            const sessions = m.newSessions();
            const after = (take, number) => {
                take(sessions, [{ ...row, last_number: number }]);
                return sessions.rows.length;
            };
            m.takePage(sessions, [row]);
            m.takeDeletion(sessions, { session_id: row.id, number: 9 });
            return [sessions.rows.length, after(m.takePage, 5), after(m.takeMore, 9), after(m.takeMore, 10)];
        }""",
        session(1),
    )  # fmt: skip

    assert found == [0, 0, 0, 1]


def merged(node: Node, before: list[Row], top: dict[str, list[Row]], *, whole: bool, live: list[Row]) -> Any:
    """What is in the list after the newest answers; `live` came after they were asked for."""
    return call(
        node, "state/sessions_state.js",
        """async (m, assets, before, top, isWhole, live) => {
            const { mergeTop } = await import(`${assets}/state/list_merge.js`);
            const sessions = m.newSessions();
            m.takePage(sessions, before);
            const read = m.beginRead(sessions);
            for (const message of live) m.takeStatus(sessions, message);
            const answers = Object.entries(top).map(([kind, rows]) =>
                [kind, { rows, isWhole: kind === "ended" ? isWhole : true }]);
            const found = mergeTop(sessions, read, Object.fromEntries(answers));
            return [found.isJoined, found.lost, sessions.rows.map((row) => row.id)];
        }""",
        PAGE, before, top, whole, live,
    )  # fmt: skip


def test_the_newest_answers_join_what_is_in_the_list(node: Node) -> None:
    one, two, three, running = session(1), session(2), session(3), session(4, "in_progress")
    top = {"running": [running], "waiting": [], "ended": [one, two]}

    assert merged(node, [two, three], top, whole=False, live=[]) == [
        True, [], ["s-00001", "s-00002", "s-00003", "s-00004"],
    ]  # fmt: skip


def test_what_does_not_follow_upon_the_newest_answers_is_read_again(node: Node) -> None:
    top = {"running": [], "waiting": [], "ended": [session(1), session(2)]}

    assert merged(node, [session(50)], top, whole=False, live=[]) == [False, [], ["s-00001", "s-00002"]]


def test_what_was_deleted_meanwhile_is_in_the_list_no_more(node: Node) -> None:
    top = {"running": [], "waiting": [], "ended": [session(1), session(3)]}

    assert merged(node, [session(1), session(2), session(3)], top, whole=False, live=[]) == [
        True, [], ["s-00001", "s-00003"],
    ]  # fmt: skip


def test_what_runs_no_more_is_looked_for_unless_it_changed_since(node: Node) -> None:
    before = [session(1, "in_progress"), session(2, "pending")]
    top: dict[str, list[Row]] = {"running": [], "waiting": [], "ended": [session(9)]}

    joined = merged(node, before, top, whole=True, live=[status_of("s-00002", "in_progress")])

    assert joined == [True, ["s-00001"], ["s-00001", "s-00002", "s-00009"]]


LAYOUT = """async (m, assets, before, after, top, kept) => {
    const { layoutOf, visibleOf, shiftOf, rowBeside } = m;
    const { newSessions, takePage } = await import(`${assets}/state/sessions_state.js`);
    const { sectionsOf } = await import(`${assets}/state/list_sections.js`);
    const sizes = { row: 40, head: 36, foot: 40, gap: 12 };
    const [old, now] = [before, after].map((rows) => {
        const sessions = newSessions();
        takePage(sessions, rows);
        return layoutOf(sectionsOf(sessions, false), sizes);
    });
    const shown = visibleOf(old, top, top + 800, kept);
    return {
        height: old.height,
        shown: shown.flatMap(({ box, rows }) => rows.map(({ row, top }) => [row.id, box.top + top])),
        shift: shiftOf(old, now, top),
        beside: [rowBeside(old, null, 1), rowBeside(old, before[0].id, 1), rowBeside(old, before[0].id, -1)],
    };
}"""


def test_only_what_is_near_the_viewport_is_drawn_and_the_row_with_the_focus(node: Node) -> None:
    rows = [session(number) for number in range(1, 500)]
    found = call(node, "state/list_layout.js", LAYOUT, PAGE, rows, [session(0), *rows], 8000, "s-00002")

    assert found["height"] == 36 + 499 * 40
    assert found["shown"][0] == ["s-00002", 36 + 40]
    assert [top for _, top in found["shown"][1:]] == list(range(36 + 199 * 40, 8800, 40))
    assert found["shift"] == 40
    assert found["beside"] == ["s-00001", "s-00002", "s-00001"]


def test_a_session_that_does_not_come_is_looked_for_during_a_minute_together_with_others(node: Node) -> None:
    found = call(
        node, "stores/newcomers.js",
        """async ({ Newcomers }) => {
            const { setTimeout } = globalThis, { now } = performance;
            const pauses = [];
            performance.now = () => 0;
            globalThis.setTimeout = (done, pause) => { pauses.push(pause); queueMicrotask(done); };
            let reads = 0;
            const newcomers = new Newcomers(async () => { reads += 1; }, (id) => id === "known");
            for (const id of ["known", "one", "other"]) newcomers.want(id);
            await new Promise((done) => setTimeout(done));
            globalThis.setTimeout = setTimeout;
            performance.now = now;
            return [reads, pauses];
        }""",
    )  # fmt: skip

    assert found == [8, [300, 1000, 2000, 3000, 4000, 8000, 15_000, 30_000]]


def test_a_session_that_is_new_does_not_wait_for_the_end_of_a_long_pause(node: Node) -> None:
    found = call(
        node, "stores/newcomers.js",
        """async ({ Newcomers }) => {
            const { setTimeout } = globalThis, { now } = performance;
            const timers = [];
            performance.now = () => 0;
            globalThis.setTimeout = (done, pause) => timers.push({ done, pause });
            try {
                const newcomers = new Newcomers(async () => {}, () => false);
                newcomers.want("one");
                for (let time = 0; time < 7; time++) {
                    timers.at(-1).done();
                    await new Promise((done) => setTimeout(done));
                }
                for (const id of ["other", "third"]) newcomers.want(id);
                return timers.slice(-3).map(({ pause }) => pause);
            } finally {
                Object.assign(globalThis, { setTimeout });
                performance.now = now;
            }
        }""",
    )  # fmt: skip

    assert found == [15_000, 30_000, 1000]


def test_the_count_of_what_runs_does_not_go_back_to_an_answer_older_than_what_came_live(node: Node) -> None:
    found = call(
        node, "stores/running.js",
        """(m) => {
            const counts = [];
            const note = (act) => {
                act();
                counts.push(m.running.value);
            };
            const answer = (...found) => () => m.takeRunning(new Map(found));
            const live = (...given) => () => m.takeRunningStatus(...given);
            m.beginRunning();
            note(answer(["a", 2]));
            note(live("b", "in_progress", 2));
            note(answer(["a", 3]));
            note(live("a", "completed", 5));
            note(answer(["a", 4], ["b", 3]));
            note(live("b", "cancelled", 4));
            note(answer(["b", 3]));
            note(answer(["a", 7]));
            note(live("c", "in_progress", 2));
            note(m.beginRunning);
            note(answer());
            return counts;
        }""",
    )  # fmt: skip

    assert found == [1, 2, 2, 1, 1, 0, 0, 1, 2, 1, 0]


def test_a_partial_analysis_is_a_mark_with_its_reason(node: Node) -> None:
    """From the list's answer, and from a message that comes while it stands there."""
    why = {"partial_reason": "the context is full"}
    found = call(
        node, "state/sessions_state.js",
        """async (m, path, rows, message) => {
            const { marksOf } = await import(path);
            const sessions = m.newSessions();
            m.takePage(sessions, rows);
            m.takeStatus(sessions, message);
            return sessions.rows.map(marksOf);
        }""",
        f"{PAGE}/words/list_marks.js", [session(1, **why), session(2, "in_progress"), session(3)],
        {**status_of("s-00002", "completed"), **why},
    )  # fmt: skip

    partial = {"word": "partial", "title": "Partial analysis: the context is full", "isHeavy": True}
    assert found == [[partial], [partial], []]


def test_a_session_that_acted_has_the_verdict_as_a_mark(node: Node) -> None:
    found = call(
        node, "state/list_row.js",
        """async (m, path, rows) => {
            const { marksOf } = await import(path);
            return rows.map((row) => marksOf(m.fromRow(row)).map((mark) => mark.word));
        }""",
        f"{PAGE}/words/list_marks.js",
        [session(1, action_verdict="nothing_to_do"), session(2, action_verdict="odd"), session(3)],
    )  # fmt: skip
    assert found == [["nothing to do"], ["odd"], []]


def test_what_an_action_did_is_said_in_numbers_with_the_people_who_approved(node: Node) -> None:
    calls = [{"call_id": str(n), "server": "k", "tool": "t", "result": "done", "approved_by": by}
             for n, by in enumerate(("ann", "", "bob", "ann"))]  # fmt: skip
    found = call(
        node, "words/action_words.js", "(m, action) => m.actionFacts(action)",
        {"verdict": "acted", "done": 3, "unknown": 1, "helped": "yes", "calls": calls},
    )  # fmt: skip
    assert found == "3 done · 1 unknown · approved by ann, bob · it helped"
