"""HTTP API of the timeline: its routes, and who may ask them."""
