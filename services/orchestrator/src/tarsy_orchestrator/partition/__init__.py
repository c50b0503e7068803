"""The shell around one partition of the log: owning it, reading it, deciding in batches, setting sessions aside."""
