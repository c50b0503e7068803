"""Notifications in Slack."""
