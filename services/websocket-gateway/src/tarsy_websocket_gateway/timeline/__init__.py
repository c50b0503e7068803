"""The timeline's API, as a gateway asks it."""
