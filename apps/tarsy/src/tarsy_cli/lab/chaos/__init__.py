"""Killing what runs while it investigates, and looking whether anything was lost."""
