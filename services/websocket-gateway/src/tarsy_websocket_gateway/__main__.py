"""`python -m tarsy_websocket_gateway`."""

from tarsy_bus.acceptance import LogMismatchError
from tarsy_bus.client.access import KafkaAccessError
from tarsy_bus.topics.topics_admin import WrongTopicsError
from tarsy_service.process.main import run_main
from tarsy_websocket_gateway.app import build
from tarsy_websocket_gateway.settings import GatewaySettings

if __name__ == "__main__":
    run_main(GatewaySettings, build, startup_errors=(LogMismatchError, KafkaAccessError, WrongTopicsError))
