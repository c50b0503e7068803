"""Commands about investigations of some days, and what they used."""
