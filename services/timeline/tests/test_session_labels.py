"""Labels of a session: those of its calendar, then those of its summary, in answers and as a filter."""

from projected_world import NewSession, World, records

from tarsy_contracts import events as e
from tarsy_testing.story.whole_chain import begun


async def test_labels_are_answered_and_filter_the_list_and_end_with_the_session(
    world: World, new_session: NewSession
) -> None:
    quiet, loud = new_session(), new_session()
    quiet.add(begun())
    loud.add(begun().model_copy(update={"labels": ("weekend", "unstaffed")}))
    await world.project(*records(quiet), *records(loud))

    async def found(label: str) -> list[str]:
        answer = await world.get(f"/api/v1/sessions?label={label}")
        assert answer["pagination"]["total_items"] == len(answer["sessions"])
        return sorted(one["id"] for one in answer["sessions"])

    assert await found("unstaffed") == [loud.id]
    assert await found("") == sorted([quiet.id, loud.id])
    assert await found("page") == []

    loud.add(e.SessionCompleted(final_analysis="It died.", labels=("weekend", "unstaffed", "page")))
    await world.project(loud.recorded(2))
    assert (await world.detail(loud))["session_labels"] == ["weekend", "unstaffed", "page"]
    assert (await world.detail(quiet))["session_labels"] == []
    listed = await world.get("/api/v1/sessions?label=page")
    assert [(one["id"], one["session_labels"]) for one in listed["sessions"]] == [
        (loud.id, ["weekend", "unstaffed", "page"])
    ]
    assert await found("page&search=nothing-has-this") == []
    offered = (await world.get("/api/v1/sessions/filter-options"))["session_labels"]
    assert offered == ["page", "unstaffed", "weekend"]

    loud.add(e.SessionDeleted(request_id="r", author="ann"))
    await world.project(loud.recorded(3))
    assert await found("page") == []
    assert (await world.get("/api/v1/sessions/filter-options"))["session_labels"] == []
