"""`python -m tarsy_notifier`."""

from tarsy_bus.client.access import KafkaAccessError
from tarsy_bus.topics.topics_admin import WrongTopicsError
from tarsy_config.errors import InvalidConfigError
from tarsy_notifier.app import build
from tarsy_notifier.settings import NotifierSettings
from tarsy_service.process.main import run_main

if __name__ == "__main__":
    run_main(NotifierSettings, build, startup_errors=(KafkaAccessError, WrongTopicsError, InvalidConfigError))
