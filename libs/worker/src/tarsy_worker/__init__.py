"""Workers: they take requests from a queue, claim and run them, report the outcomes, and drain before they stop."""
