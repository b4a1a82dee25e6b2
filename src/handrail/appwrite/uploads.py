"""Sends a plan whose file is larger than one chunk, piece by piece."""
