"""What every main needs: settings, logging, health, metrics, shutdown."""
