"""Chat with a finished investigation (`tarsy chat`)."""
