"""Topics of a cluster: made, checked, and with the rights that each service needs."""
