"""Actions: which calls may change something, and what a stage that acts has done. Pure."""
