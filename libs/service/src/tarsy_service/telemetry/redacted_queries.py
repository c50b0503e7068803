"""Lines of uvicorn without the queries of addresses: a person who puts a key there has to find it in no log."""

import logging

LOGGERS = frozenset({"uvicorn.error", "uvicorn.access"})


class QueriesLeftOut(logging.Filter):
    """Only the path stays of each address that uvicorn writes."""

    def filter(self, record: logging.LogRecord) -> bool:
        if record.name in LOGGERS and isinstance(record.args, tuple):
            record.args = tuple(_path_of(argument) for argument in record.args)
        return True


def _path_of(argument: object) -> object:
    if not isinstance(argument, str) or not argument.startswith("/"):
        return argument
    path, mark, _ = argument.partition("?")
    return f"{path}{mark}..." if mark else path
