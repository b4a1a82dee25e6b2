"""Words of requests and of methods: split, without plurals, without those that say nothing; and their verbs."""

import re
from collections.abc import Sequence
from enum import StrEnum
from typing import Final

__all__ = ["Deed", "deed_asked", "deed_of", "says_something", "spaced", "stem", "telling_stems", "words"]

_WORD: Final = re.compile(r"[a-z0-9]+")
_ANY_WORD: Final = re.compile(r"[^\W_]+")
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_STOP: Final = frozenset(
    {
        "a", "an", "and", "any", "are", "as", "at", "be", "by", "can", "do", "for", "from", "has", "have", "how", "i",
        "in", "into", "is", "it", "its", "me", "my", "need", "of", "on", "or", "our", "please", "that", "the", "their",
        "them", "this", "to", "up", "want", "we", "what", "which", "with", "you", "your",
    }
)  # fmt: skip
_PLURALS: Final = (("ies", "y"), ("sses", "ss"), ("xes", "x"), ("s", ""))


class Deed(StrEnum):
    """What a method does to its thing, as far as its verb says so."""

    CREATE = "create"
    DELETE = "delete"
    UPDATE = "update"
    LIST = "list"
    GET = "get"


_SAID: Final = {
    Deed.CREATE: "create add new insert register generate build begin start send upload issue invite save store import "
    "scaffold set-up setup compute record clone copy enrol enroll append mint provision install subscribe deploy "
    "publish another schedule write",
    Deed.DELETE: "delete remove erase drop clear purge destroy uninstall revoke kick wipe unsubscribe unregister "
    "detach trash discard kill cancel disconnect get-rid-of throw-away throw-out take-off take-down take-back",
    Deed.UPDATE: "update change edit modify rename set enable disable turn-on turn-off turn switch adjust rotate "
    "replace mark activate deactivate block unblock ban suspend correct fix tune refresh cycle renew reschedule move "
    "transfer extend allow forbid limit increase decrease configure customise customize pause resume promote",
    Deed.LIST: "list all every enumerate search find browse history",
    Deed.GET: "get read fetch look-up download details status state",
}
_SEEN: Final = frozenset(
    ["show", "view", "see", "which", "what", "display", "give", "tell", "who", "where"]
)  # one thing, or many
_MADE: Final = frozenset(["make", "put"])  # `make a table`, but `make the file public`
_FRESH: Final = frozenset(["a", "an", "new", "another", "some"])
_ASKED: Final = {tuple(said.split("-")): deed for deed, all_said in _SAID.items() for said in all_said.split()}
_LONGEST_PHRASE: Final = max(map(len, _ASKED))
_ENDINGS: Final = (("s", ""), ("ed", ""), ("d", ""), ("ing", ""), ("ing", "e"))
_OF_METHOD: Final = {
    **{deed.value: deed for deed in Deed}, "upsert": Deed.CREATE, "add": Deed.CREATE, "set": Deed.UPDATE,
}  # fmt: skip


def words(text: str) -> list[str]:
    """The words of a text in lower case; `createRow` and `create_row` are two."""
    return _WORD.findall(spaced(text).lower())


def spaced(text: str) -> str:
    """A text whose `camelCase` and `snake_case` words stand apart."""
    return _CAMEL.sub(" ", text.replace("_", " "))


def stem(word: str) -> str:
    """A word without its plural."""
    for ending, instead in _PLURALS:
        if word.endswith(ending) and not word.endswith("ss") and len(word) > len(ending) + 2:
            return word.removesuffix(ending) + instead
    return word


def telling_stems(text: str) -> list[str]:
    """The stems of the words that say something."""
    return [stem(word) for word in words(text) if word not in _STOP]


def says_something(text: str) -> bool:
    """Whether there is a word, of any language, that is more than a joint."""
    return any(word not in _STOP for word in _ANY_WORD.findall(text.lower()))


def deed_asked(text: str) -> Deed | None:
    """What a request asks for, by its first verb that is known."""
    said = words(text)
    for place, word in enumerate(said):
        deed = _phrase(said[place : place + _LONGEST_PHRASE]) or _by_neighbours(word, said[place + 1 :])
        if deed is not None:
            return deed
    return None


def deed_of(method_name: str) -> Deed | None:
    """What a method does, by the first word of its name."""
    return _OF_METHOD.get(method_name.split("_", 1)[0])


def _phrase(said: Sequence[str]) -> Deed | None:
    """The deed of the longest known phrase that these words begin with."""
    for size in range(len(said), 0, -1):
        for first in _plain_forms(said[0]):
            deed = _ASKED.get((first, *said[1:size]))
            if deed is not None:
                return deed
    return None


def _plain_forms(word: str) -> list[str]:
    cut = [word.removesuffix(ending) + instead for ending, instead in _ENDINGS if word.endswith(ending)]
    return [word, *(form for form in cut if len(form) > len("ad"))]


def _by_neighbours(word: str, following: Sequence[str]) -> Deed | None:
    """The deed of a word that means one thing or another by what follows it."""
    if word in _MADE and following:
        return Deed.CREATE if following[0] in _FRESH else Deed.UPDATE
    if word in _SEEN:
        return Deed.LIST if any(stem(thing) != thing for thing in following if thing not in _STOP) else Deed.GET
    return None
