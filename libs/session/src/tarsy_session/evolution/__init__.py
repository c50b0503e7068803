"""Evolution of a session's parts by its events: pure."""
