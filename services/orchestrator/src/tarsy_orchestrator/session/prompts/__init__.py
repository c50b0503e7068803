"""The words that agents begin with, and what they are told on the way: parts, composed. Pure."""
