"""Recorded incidents: sending their alerts, and judging what is found."""
