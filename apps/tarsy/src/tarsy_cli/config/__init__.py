"""`tarsy config`: is the configuration right, and what follows from it."""
