"""Tools `recall_past_investigations` and `search_past_sessions`: what the timeline remembers."""
