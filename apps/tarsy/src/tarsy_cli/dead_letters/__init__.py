"""`tarsy dead-letters`: records that could not be read, and why."""
