"""Child processes that die with us, their logs, and ports for them. The standard library is all that it needs."""
