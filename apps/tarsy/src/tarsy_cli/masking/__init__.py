"""`tarsy mask`: what of a file would be masked, and by which rule."""
