"""`python -m tarsy_ingest`."""

from tarsy_bus.topics_admin import TopicsWrong
from tarsy_config.errors import ConfigInvalid
from tarsy_ingest.app import build
from tarsy_ingest.settings import IngestSettings
from tarsy_service.main import run_main

if __name__ == "__main__":
    run_main(IngestSettings, build, startup_errors=(TopicsWrong, ConfigInvalid))
