"""One address for all services that have processes of their own."""
