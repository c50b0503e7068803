"""The tarsy command."""
