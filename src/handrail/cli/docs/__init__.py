"""`handrail docs`: the documentation that is kept in the home folder."""
