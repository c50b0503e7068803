"""Clients: each with its connection, its bounded queue and what it watches."""
