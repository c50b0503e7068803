"""`tarsy events`: the public topic, and the CloudEvents of `tarsy export`."""
