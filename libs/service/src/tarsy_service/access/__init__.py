"""Access: who asks, by which name and from which page, and what is for him."""
