"""Identity and role of a caller, from API keys, tokens and signed bodies. It knows no HTTP framework and no service."""
