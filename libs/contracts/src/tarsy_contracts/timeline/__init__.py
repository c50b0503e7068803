"""Timeline of a session: what people see of it, and how it follows from the log."""
