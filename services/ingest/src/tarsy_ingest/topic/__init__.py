"""The alerts topic, which strangers write."""
