"""Free ports, where tests and benchmarks look for them."""

from tarsy_processes.ports import free_port

__all__ = ["free_port"]
