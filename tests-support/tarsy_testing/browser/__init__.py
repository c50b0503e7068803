"""The page in a browser, and what it is fed with."""
