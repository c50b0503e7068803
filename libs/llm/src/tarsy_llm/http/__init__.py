"""HTTP with providers: clients, bodies, streams of events, and the failures of all of them."""
