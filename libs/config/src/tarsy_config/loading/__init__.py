"""Loading of a configuration, and its replacement while a service runs."""
