"""The door for clicks on buttons of messages in Slack."""
