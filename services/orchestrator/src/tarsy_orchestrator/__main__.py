"""`python -m tarsy_orchestrator`."""

from tarsy_bus.acceptance import LogMismatch
from tarsy_bus.topics_admin import TopicsWrong
from tarsy_config.errors import ConfigInvalid
from tarsy_llm.script import ScriptInvalid
from tarsy_orchestrator.app import build
from tarsy_orchestrator.settings import OrchestratorSettings
from tarsy_service.main import run_main

if __name__ == "__main__":
    run_main(OrchestratorSettings, build, startup_errors=(LogMismatch, TopicsWrong, ConfigInvalid, ScriptInvalid))
