"""Matches of a search by session: rows of `read_matches`, and the passages that are shown of them."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from tarsy_contracts.api.session_lists import SearchHighlight
from tarsy_timeline.queries.search_highlights import passage, search_pattern
from tarsy_timeline.queries.search_words import SearchTerm
from tarsy_timeline.rows.session_rows import Row


@dataclass(frozen=True, slots=True)
class SessionMatches:
    in_content: bool
    highlights: tuple[SearchHighlight, ...]


NOWHERE = SessionMatches(in_content=False, highlights=())


def matches_by_session(terms: Sequence[SearchTerm], rows: Sequence[Row]) -> dict[str, SessionMatches]:
    """A match without a passage is left out: what was searched for is the session's id, or past what is shown."""
    if not terms:
        return {}
    pattern = search_pattern(terms)
    found: defaultdict[str, list[SearchHighlight]] = defaultdict(list)
    in_content: dict[str, bool] = {}
    for row in rows:
        in_content[row["session_id"]] = row["in_content"]
        if segments := passage(row["content"], pattern):
            shown = SearchHighlight(source=row["source"], event_id=row["event_id"], segments=segments)
            found[row["session_id"]].append(shown)
    return {name: SessionMatches(inside, tuple(found[name])) for name, inside in in_content.items()}
