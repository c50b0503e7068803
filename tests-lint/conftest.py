"""What `make lint` runs, and no other target: rules of code, docs and changelog that need nothing but their text."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))
