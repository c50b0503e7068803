"""Alerts in, over HTTP and Kafka."""
