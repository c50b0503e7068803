"""The session log: its writer, its heads, and what is deleted of it."""
