"""`tarsy skills`: the skills of a configuration, and which of them words bring up."""
