"""Tool `read_result`: agents read on in results that were too long for them."""
