"""MCP over standard input and output, for a process that does nothing else."""

from handrail.protocol.stdio.descriptors import plug_closed_streams
from handrail.protocol.stdio.serve import END_SECONDS, serve_stdio

__all__ = ["END_SECONDS", "plug_closed_streams", "serve_stdio"]
