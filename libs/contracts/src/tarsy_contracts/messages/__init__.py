"""Messages beside the events: inputs, requests, chunks, control, and the records of our other topics."""
