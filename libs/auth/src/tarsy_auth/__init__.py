"""Identity and role of a caller, from API keys and tokens. It knows no HTTP framework and no service."""
