"""`tarsy logs`: what the services of a `tarsy up` have logged."""
