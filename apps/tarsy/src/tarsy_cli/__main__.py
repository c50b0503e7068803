"""`python -m tarsy_cli`."""

from tarsy_cli.app import main

if __name__ == "__main__":
    main()
