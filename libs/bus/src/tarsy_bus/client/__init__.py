"""Kafka's clients as we want them: connections, security, producers, consumers, the parsing of what they fetch."""
