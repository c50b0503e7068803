"""Real Kafka and PostgreSQL as child processes."""
