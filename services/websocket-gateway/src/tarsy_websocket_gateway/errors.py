"""The base of all exceptions of tarsy_websocket_gateway."""


class WebsocketGatewayError(Exception):
    """A subscription cannot begin or go on."""
