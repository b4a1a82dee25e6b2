"""What a caller sees of an answer: secrets masked, hidden text visible, large answers in pages, errors explained.

Import from the modules: `outcome` and `answers` need some of them, and others need those.
"""
