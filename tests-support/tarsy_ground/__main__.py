"""`python -m tarsy_ground [GROUP ...]`: builds what is not there yet, all groups by default, and prints its place."""

import sys

from tarsy_ground.programs import GROUPS, BuildError, build_programs
from tarsy_testing.real_servers import cache_dir


def main(names: list[str]) -> int:
    known = {group.name: group for group in GROUPS}
    unknown = [name for name in names if name not in known]
    if unknown:
        sys.stderr.write(f"there is no {', '.join(unknown)}: choose among {', '.join(known)}\n")
        return 2
    try:
        for name in names or list(known):
            folder = build_programs(known[name], cache_dir() / "ground")
            sys.stdout.write(f"{name} {known[name].version}: {folder}\n")
            sys.stdout.flush()
    except BuildError as problem:
        sys.stderr.write(f"{problem}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
