"""`python -m tarsy_tool_gateway`."""

from tarsy_bus.client.access import KafkaAccessError
from tarsy_bus.topics.topics_admin import WrongTopicsError
from tarsy_config.errors import InvalidConfigError
from tarsy_service.process.main import run_main
from tarsy_tool_gateway.app import build
from tarsy_tool_gateway.settings import ToolGatewaySettings

if __name__ == "__main__":
    run_main(ToolGatewaySettings, build, startup_errors=(KafkaAccessError, WrongTopicsError, InvalidConfigError))
