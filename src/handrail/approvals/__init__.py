"""The approvals room."""
