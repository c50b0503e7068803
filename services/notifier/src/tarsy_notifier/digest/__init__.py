"""The digest of a week: sent to each receiver that wants it, once, by whichever notifier is first."""
