"""``python -m trustkit`` is the command line."""

from trustkit.cli import main

if __name__ == "__main__":
    main()
