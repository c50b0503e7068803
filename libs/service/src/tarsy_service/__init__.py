"""Base of every service process: settings, logging, health, metrics, shutdown."""
