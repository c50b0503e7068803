"""Append, read, own and follow partitions; queues; dead letters; tracing."""
