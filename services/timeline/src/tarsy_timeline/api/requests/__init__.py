"""Requests of people to sessions: routes, the command in the inbox, and the owner's reply."""
