"""The scripted model, and the script that it plays."""
