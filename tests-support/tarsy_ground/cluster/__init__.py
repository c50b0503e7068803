"""One real node of Kubernetes in a sandbox, and what tests do with it."""
