"""A week on one page, and who sends it to receivers of notifications."""
