"""Login of the page, and its end."""
