"""DBOS, measured in an environment of its own: what runs in it imports nothing of Handrail."""
