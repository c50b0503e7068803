"""Context of prompts, taken from the state of a session: pure."""
