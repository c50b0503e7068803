"""Whole investigations in one thread and in no time: our services as they are, on a Kafka that is a few lists.

Real: orchestrator (owner, recovery, partition, work, LLM calls), tool gateway, summarizer, and all of tarsy_bus. Not
real: time (it jumps to the next timer), the clients of Kafka (clients.py, in the place of aiokafka's), the models and
the MCP servers (outside.py). A process is a tree of tasks that can be killed or frozen between any two steps.

The same seed plays the same run. It proves nothing about Kafka's delivery, nor about aiokafka: processes on a real
broker do that, in tests-e2e.
"""
