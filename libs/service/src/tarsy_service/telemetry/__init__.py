"""Telemetry of a process: logs, metrics, traces."""
