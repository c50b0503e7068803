"""Credentials of clouds: fetched by the clouds' own libraries in threads, kept, and renewed before they end."""
