"""Values that were used lately, within a limit."""

from tarsy_llm.recent_values import RecentValues


def test_what_was_not_used_for_longest_goes_first() -> None:
    recent: RecentValues[str, str] = RecentValues(most=10)
    for key in "abc":
        recent.put(key, key.upper(), 3)
    assert recent.get("a") == "A"
    recent.put("d", "D", 3)
    assert [recent.get(key) for key in "abcd"] == ["A", None, "C", "D"]


def test_a_value_that_grew_counts_once_and_one_above_the_limit_is_not_kept() -> None:
    recent: RecentValues[str, str] = RecentValues(most=10)
    recent.put("a", "A", 6)
    recent.put("a", "AA", 9)
    assert recent.get("a") == "AA"
    recent.put("b", "B", 11)
    assert (recent.get("a"), recent.get("b")) == (None, None)
    recent.put("c", "C", 10)
    assert recent.get("c") == "C"
