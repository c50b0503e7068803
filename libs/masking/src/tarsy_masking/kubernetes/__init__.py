"""Kubernetes Secrets, in YAML and in JSON."""
