"""PostgreSQL: its connections, its migrations, its queries, and text as it can hold it."""
