"""The terminal of the commands: what is written, and how much of it a terminal can show."""
