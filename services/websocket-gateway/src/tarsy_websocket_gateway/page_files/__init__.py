"""The page's files, and the routes that serve them."""
