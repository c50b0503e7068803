"""Setting of the C library's allocator, for the environment of every process of ours."""

from collections.abc import Mapping

RETURNED_MEMORY: Mapping[str, str] = {"MALLOC_MMAP_THRESHOLD_": str(256 * 1024)}
"""Blocks from so many bytes on are mapped one by one, and go back to the system when they are freed.

Left to itself, glibc raises its threshold to the largest block that was freed, up to 32 MiB, and keeps what is smaller.
"""
