"""Speed and memory, each side by side with a named rival or a bare baseline in one run. Run by hand: `make bench`."""
