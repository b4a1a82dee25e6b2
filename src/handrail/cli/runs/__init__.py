"""`handrail runs`: the runs of the home folder, looked at, followed, answered and ended."""
