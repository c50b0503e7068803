"""Support of the tests: servers, systems, stories of sessions, and what tests of several members share."""
