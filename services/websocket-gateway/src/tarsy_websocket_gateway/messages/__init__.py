"""From accepted events and chunks to messages for clients: pure."""
