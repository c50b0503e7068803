"""Topics and rights of Kafka, printed for the administrator who creates them."""
