"""The MCP SDK logs what it could not read, with the text itself in the traceback: unmasked output of servers."""

import logging

LOGGERS = ("mcp.client.stdio", "mcp.client.session", "mcp.shared.jsonrpc_dispatcher")


def mute_values_in_sdk_logs() -> None:
    """Of an exception only the type is logged. Doing it again changes nothing."""
    for name in LOGGERS:
        logging.getLogger(name).addFilter(_without_values)


def _without_values(record: logging.LogRecord) -> bool:
    if record.exc_info and record.exc_info[0] is not None:
        record.msg, record.args = f"{record.getMessage()} ({record.exc_info[0].__name__})", ()
    record.exc_info = record.exc_text = None
    return True
