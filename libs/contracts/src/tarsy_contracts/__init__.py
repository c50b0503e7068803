"""What crosses a process boundary: events, inputs, requests, chunks, envelope, identities, topics, conversation."""
