"""Notifications for other systems, over HTTP."""
