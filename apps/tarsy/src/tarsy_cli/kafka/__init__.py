"""Topics and rights of Kafka, printed for whoever makes them."""
