"""Projects the log into Postgres and answers questions about it."""
