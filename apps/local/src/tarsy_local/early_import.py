"""Import of a module while something else is waited for."""

import importlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress


@contextmanager
def imported_meanwhile(module: str) -> Iterator[None]:
    """Imports it on a thread of its own, which has ended after the body. An import in the body waits for it.

    A failure is not raised here: the import of whoever needs the module raises it again.
    """

    def run() -> None:
        with suppress(Exception):
            importlib.import_module(module)

    thread = threading.Thread(target=run, name=f"import of {module}")
    thread.start()
    try:
        yield
    finally:
        thread.join()
