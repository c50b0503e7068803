"""`tarsy dead-letters`: records that could not be read, and what an operator does about them."""
