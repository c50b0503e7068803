"""`tarsy up`: servers and services, in one process or in many."""
