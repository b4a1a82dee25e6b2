"""The command line: the server's own functions from a terminal."""
