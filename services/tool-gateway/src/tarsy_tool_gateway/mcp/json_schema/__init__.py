"""JSON Schema validation for untrusted schemas, in a bounded number of steps and without fetching anything. Pure.

jsonschema cannot be bounded: it uses Python's `re` also for what stands in a subschema with a `$schema` of its own,
writes out the whole value in each message that nobody reads, and compares unique items pair by pair.
"""
