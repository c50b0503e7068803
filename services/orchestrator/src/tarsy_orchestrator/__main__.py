"""`python -m tarsy_orchestrator`."""

from tarsy_orchestrator.app import build
from tarsy_orchestrator.settings import OrchestratorSettings
from tarsy_service.entry import run_main

if __name__ == "__main__":
    run_main(OrchestratorSettings, build)
