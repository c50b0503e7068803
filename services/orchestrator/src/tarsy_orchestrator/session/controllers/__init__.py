"""Controllers: the ways in which an agent is led. Pure."""
