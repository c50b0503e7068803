"""`tarsy retention`."""
