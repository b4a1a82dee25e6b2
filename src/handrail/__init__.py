"""Handrail: an MCP server that people trust with real things.

Importing the package is free: everything heavy loads where it is used.
"""

from typing import Final

__all__ = ["__version__"]

__version__: Final = "0.1.0"
