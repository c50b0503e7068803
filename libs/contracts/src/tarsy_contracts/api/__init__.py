"""The public API: typed answers over REST and messages on the WebSocket, as every client may read them."""
