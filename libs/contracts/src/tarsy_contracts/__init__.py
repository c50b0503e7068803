"""Contracts between processes: events, inputs, requests, chunks, envelope, ids, topics, conversation."""
