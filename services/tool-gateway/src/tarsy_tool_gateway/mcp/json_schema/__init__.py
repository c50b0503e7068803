"""JSON Schema validation for untrusted schemas, in a bounded number of steps and without fetching anything. Pure.

jsonschema cannot be bounded. It uses Python's `re` in subschemas with their own `$schema`, writes the whole value into
each message, and compares unique items pair by pair.
"""
