"""`python -m gossamer`: the command line."""

from gossamer.cli import main

if __name__ == "__main__":
    main()
