"""Whole systems of real processes: started, asked, killed, replaced."""
