"""Previews: what a call would do, and what is there now."""

from handrail.appwrite.preview.preview import ReadNow, preview_of, request_view
from handrail.appwrite.preview.twins import ReadTwin, ReadTwins

__all__ = ["ReadNow", "ReadTwin", "ReadTwins", "preview_of", "request_view"]
