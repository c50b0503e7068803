"""`python tests-e2e/chains/older_orchestrator.py TYPE`: an orchestrator of a version that did not know an event."""

import runpy
import sys

from tarsy_contracts.events import EVENTS

if __name__ == "__main__":
    # The table that every reader decodes by; what knows the class itself is never asked, as it is not read.
    del EVENTS[sys.argv.pop(1)]
    runpy.run_module("tarsy_orchestrator", run_name="__main__", alter_sys=True)
