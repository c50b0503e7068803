"""From an alert as it was read to an acknowledged input: identity, masking, bounds."""
