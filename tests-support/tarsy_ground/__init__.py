"""A real Docker engine, and programs of a Kubernetes node, from Debian's packages and Go modules alone."""
