"""`python -m tarsy_summarizer`."""

from tarsy_bus.client.access import KafkaAccessError
from tarsy_bus.topics.topics_admin import WrongTopicsError
from tarsy_config.errors import InvalidConfigError
from tarsy_llm.scripted.script import InvalidScriptError
from tarsy_service.process.main import run_main
from tarsy_summarizer.app import build
from tarsy_summarizer.settings import SummarizerSettings

if __name__ == "__main__":
    run_main(
        SummarizerSettings,
        build,
        startup_errors=(KafkaAccessError, WrongTopicsError, InvalidConfigError, InvalidScriptError),
    )
