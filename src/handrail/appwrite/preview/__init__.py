"""Previews: what a call would do (`preview.preview`, loaded when one is wanted), and what is there now."""

from handrail.appwrite.preview.twins import ReadTwin, ReadTwins

__all__ = ["ReadTwin", "ReadTwins"]
