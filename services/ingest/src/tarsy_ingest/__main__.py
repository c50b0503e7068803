"""`python -m tarsy_ingest`."""

from tarsy_bus.client.access import KafkaAccessError
from tarsy_bus.topics.topics_admin import WrongTopicsError
from tarsy_config.errors import InvalidConfigError
from tarsy_ingest.app import build
from tarsy_ingest.settings import IngestSettings
from tarsy_service.process.main import run_main

if __name__ == "__main__":
    run_main(IngestSettings, build, startup_errors=(KafkaAccessError, WrongTopicsError, InvalidConfigError))
