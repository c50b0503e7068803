"""The sections of `tarsy.yaml`, as models."""
