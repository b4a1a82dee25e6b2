"""Finds methods by plain words.

    request -> spelling -> (meaning: cosine with every text of a method) + (words: BM25) + verb -> best first

Until the encoder is loaded, which the first search begins, words alone decide.
"""

from handrail.appwrite.search.index import SearchIndex
from handrail.appwrite.search.model import Found, Hit, Ranking

__all__ = ["Found", "Hit", "Ranking", "SearchIndex"]
