"""Signs of life: announcements of processes, answers of brokers, and the outages of either."""
