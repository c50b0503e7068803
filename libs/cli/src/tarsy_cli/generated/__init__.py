"""What is generated from the code: schemas, the documents of Kafka and HTTP, pages of the reference."""
