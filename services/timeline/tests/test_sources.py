"""Sources of a session in answers: from the items of models' own tools, in the order of their numbers."""

from tarsy_timeline.queries.responses import list_sources
from tarsy_timeline.rows.session_rows import Row


def item(event_type: str, *numbers: int) -> Row:
    sources = [{"number": number, "url": f"https://a.example/{number}", "title": ""} for number in numbers]
    return {"event_type": event_type, "metadata": {"sources": sources}}


def test_sources_are_listed_once_and_by_their_numbers() -> None:
    timeline: list[Row] = [
        item("url_context_result", 3, 0),
        item("google_search_result", 1, 3),
        item("llm_tool_call", 7),
        {"event_type": "code_execution", "metadata": {}},
    ]
    assert [source["number"] for source in list_sources(timeline) if isinstance(source, dict)] == [1, 3]
