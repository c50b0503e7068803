"""Audit trail: acts of people, on record before they are done."""
