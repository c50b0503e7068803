"""The servers of the tests stand in modules of their own beside them."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))
