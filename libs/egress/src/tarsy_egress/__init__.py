"""The way out: proxies, certificate authorities, and clients that use neither for what is inside."""
