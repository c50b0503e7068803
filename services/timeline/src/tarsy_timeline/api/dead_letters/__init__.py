"""Dead letters for operators: list, show, re-drive."""
