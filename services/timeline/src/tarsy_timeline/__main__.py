"""`python -m tarsy_timeline`."""

from tarsy_bus.acceptance import LogMismatchError
from tarsy_bus.client.access import KafkaAccessError
from tarsy_bus.topics.topics_admin import WrongTopicsError
from tarsy_service.process.main import run_main
from tarsy_timeline.app import build
from tarsy_timeline.database.pool import DatabaseRefusedError
from tarsy_timeline.settings import TimelineSettings

if __name__ == "__main__":
    run_main(
        TimelineSettings,
        build,
        startup_errors=(LogMismatchError, KafkaAccessError, WrongTopicsError, DatabaseRefusedError),
    )
