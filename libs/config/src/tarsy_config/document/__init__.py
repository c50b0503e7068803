"""A YAML file as plain data that remembers its lines, and where each setting comes from."""
