"""A process of services: started, run, asked to stop."""
