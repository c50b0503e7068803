"""Tool `fetch_runbook`: runbooks from the few hosts that are allowed, and never from anywhere else."""
