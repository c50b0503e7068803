"""One protocol for language models, and the scripted one."""
