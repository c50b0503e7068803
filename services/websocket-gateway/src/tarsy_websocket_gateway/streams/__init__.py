"""The stream of chunks, as a gateway follows it."""
