"""Clouds that serve the models of others: their addresses, their credentials, and how they wrap a dialect."""
