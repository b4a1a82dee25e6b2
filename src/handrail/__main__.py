"""`python -m handrail`: the command line."""

from handrail.cli.entry import main

if __name__ == "__main__":
    main()
