"""From an alert to its chain, and from a chain to the plan that a session keeps."""
