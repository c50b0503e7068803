"""Skills: folders beside `tarsy.yaml`, read and checked with it."""
