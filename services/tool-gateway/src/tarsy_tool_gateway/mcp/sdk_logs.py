"""Log filter for the MCP SDK, which logs unmasked output of servers.

The SDK logs messages that it cannot read, with the text itself in the traceback. The HTTP client at level DEBUG logs
addresses, in which some people carry keys, and the headers of answers.
"""

import logging

LOGGERS = ("mcp.client.session", "mcp.client.streamable_http", "mcp.shared.jsonrpc_dispatcher")
TALKATIVE = ("httpx2", "httpcore2", "mcp.client.streamable_http")


def mute_values_in_sdk_logs() -> None:
    """Only the type of an exception is logged. A second call changes nothing."""
    for name in LOGGERS:
        logging.getLogger(name).addFilter(_without_values)
    for name in TALKATIVE:
        logging.getLogger(name).setLevel(logging.WARNING)


def _without_values(record: logging.LogRecord) -> bool:
    if record.exc_info and record.exc_info[0] is not None:
        record.msg, record.args = f"{record.getMessage()} ({record.exc_info[0].__name__})", ()
    record.exc_info = record.exc_text = None
    return True
