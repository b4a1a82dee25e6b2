"""The decisions room."""
