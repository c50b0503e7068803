"""Imports, and other preparations, while something else is waited for."""

import importlib
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress


@contextmanager
def imported_meanwhile(*modules: str, prepare: Callable[[], None] = lambda: None) -> Iterator[Callable[[], None]]:
    """The body gets a function that imports them on a thread of its own, and then calls `prepare` there. After the body
    the thread has ended.

    An import in the body waits for it. A failure is not raised here: the code that needs the module, or what was to be
    prepared, meets it again.
    """

    def run() -> None:
        with suppress(Exception):
            for module in modules:
                importlib.import_module(module)
            prepare()

    thread = threading.Thread(target=run, name="imports")
    try:
        yield thread.start
    finally:
        if thread.ident is not None:
            thread.join()
