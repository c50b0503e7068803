"""`python -m tarsy_orchestrator`."""

from tarsy_bus.acceptance import LogMismatchError
from tarsy_bus.client.access import KafkaAccessError
from tarsy_bus.topics.topics_admin import WrongTopicsError
from tarsy_config.errors import InvalidConfigError
from tarsy_llm.scripted.script import InvalidScriptError
from tarsy_orchestrator.app import build
from tarsy_orchestrator.settings import OrchestratorSettings
from tarsy_service.process.main import run_main

if __name__ == "__main__":
    run_main(
        OrchestratorSettings,
        build,
        startup_errors=(LogMismatchError, KafkaAccessError, WrongTopicsError, InvalidConfigError, InvalidScriptError),
    )
