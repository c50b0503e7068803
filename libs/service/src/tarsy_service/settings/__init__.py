"""Settings that services have in common, from the environment and from files."""
