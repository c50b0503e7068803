"""Stories of sessions: their events as lists, told in the words of tests."""
