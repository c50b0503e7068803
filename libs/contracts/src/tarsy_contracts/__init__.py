"""What crosses a process boundary: events, inputs, requests, chunks, envelope, ids, topics, conversation."""
