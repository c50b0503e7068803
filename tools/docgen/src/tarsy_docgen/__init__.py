"""Documents generated from the code: JSON Schemas, AsyncAPI, OpenAPI, and pages of the reference."""
