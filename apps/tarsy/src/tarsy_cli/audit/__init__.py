"""`tarsy audit`: who asked for what."""
