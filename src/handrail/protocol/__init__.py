"""MCP on the wire."""
