"""Results of tools: rendered as text, masked, cut, stored."""
