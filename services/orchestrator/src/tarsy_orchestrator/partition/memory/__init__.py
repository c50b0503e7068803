"""Memory of a partition: its sessions, those at rest, and how they come back."""
