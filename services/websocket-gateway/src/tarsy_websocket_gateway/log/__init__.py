"""The session log, as a gateway follows it."""
