"""Live messages of a session beside those of its timeline, which no history has."""

PROGRESS = frozenset({"session.progress", "execution.progress", "interaction.created"})
"""Types that services/websocket-gateway/tests/test_progress_messages.py tests; other tests leave them out."""
