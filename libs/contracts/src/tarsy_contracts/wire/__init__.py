"""How messages are written: envelope, ids, topics, partitions, versions."""
