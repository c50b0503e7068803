"""One session in a terminal: shown, cancelled, exported."""
