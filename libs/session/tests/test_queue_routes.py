"""Where in their queue requests go."""

from tarsy_contracts.chain import ResolvedServer
from tarsy_contracts.wire.topics import QUEUE_PARTITIONS
from tarsy_session.effects import SummaryEffect, ToolCallEffect, effects_of
from tarsy_session.queue_requests import Route, route_of
from tarsy_testing.story.story import READ, SESSION, Story, agent, chain, stage


def calling(*, isolated: bool) -> Story:
    server = ResolvedServer(server="kubernetes", isolation="session" if isolated else "shared")
    one = agent().model_copy(update={"servers": (server,)})
    return Story(plan=chain(stage(one))).calling(READ, READ)


def routes(story: Story, attempt: int = 1, session_id: str = SESSION) -> list[Route]:
    calls = [one for one in effects_of(story.state) if isinstance(one, ToolCallEffect)]
    return [route_of(session_id, story.investigating, one, attempt) for one in calls]


def test_calls_are_spread_and_each_attempt_goes_elsewhere_but_the_first_repeat() -> None:
    story = calling(isolated=False)
    assert [one.key for one in routes(story)] == story.call_ids
    assert routes(story, 2) == routes(story)
    assert all(0 <= one.partition < QUEUE_PARTITIONS for attempt in range(1, 20) for one in routes(story, attempt))


def test_an_attempt_goes_where_none_went_until_all_partitions_were_tried() -> None:
    """Nobody may read a partition for a while: that somebody added, say, or of a worker that hangs."""
    story = calling(isolated=False)
    for place in (0, 1):
        ways = [routes(story, attempt)[place].partition for attempt in range(1, 2 * QUEUE_PARTITIONS + 2, 2)]
        assert sorted(ways[:-1]) == list(range(QUEUE_PARTITIONS))
        assert ways[-1] == ways[0]


def test_calls_are_spread_over_the_partitions_that_somebody_added() -> None:
    story = calling(isolated=False)
    (call, _) = [one for one in effects_of(story.state) if isinstance(one, ToolCallEffect)]
    places = {route_of(SESSION, story.investigating, call, attempt, 60).partition for attempt in range(1, 80)}
    assert max(places) >= QUEUE_PARTITIONS
    assert all(0 <= place < 60 for place in places)


def test_all_calls_of_an_investigation_to_an_isolated_server_go_one_way() -> None:
    story = calling(isolated=True)
    first, second = routes(story)
    assert first == second == Route(f"{SESSION}/kubernetes", first.partition)
    assert routes(story, 9) == [first, first]


def test_investigations_are_spread_over_the_workers_of_an_isolated_server() -> None:
    story = calling(isolated=True)
    assert len({routes(story, session_id=f"session {number}")[0].partition for number in range(50)}) > 10


def test_a_summary_goes_its_own_way_also_of_what_an_isolated_server_said() -> None:
    story = calling(isolated=True)
    story.when(story.result(story.call_ids[0], size=1_000_000))
    story.when(story.result(story.call_ids[1]))
    (summary,) = [one for one in effects_of(story.state) if isinstance(one, SummaryEffect)]
    assert route_of(SESSION, story.investigating, summary, 1).key == summary.id
