"""Queues of requests, and the consumer groups that read them."""
