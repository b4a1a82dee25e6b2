"""Which methods are tools of their own: what `--expose` and HANDRAIL_EXPOSE name.

"tables_db,users_get" -> names -> (checked against the catalog) -> methods, as far as the switches allow them
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from handrail.appwrite.catalog import Catalog
from handrail.appwrite.catalog.model import Method
from handrail.arguments import UnknownName
from handrail.errors import UsageError

__all__ = ["ALL", "ExposureError", "MethodFilter", "exposed_methods", "exposed_names", "whatever"]

ALL: Final = "all"
"""The name that stands for every service."""

MethodFilter = Callable[[Method], bool]
"""Whether the switches of this process let a method be listed and called."""


class ExposureError(UsageError):
    """A name is neither a service nor a tool. `data` holds `name`, `nearest` and `known`."""

    type = "expose_unknown"


def whatever(_method: Method) -> bool:
    """The filter of a process without switches: every method passes."""
    return True


def exposed_names(text: str) -> tuple[str, ...]:
    """The names in a comma-separated list, each once; blanks around and between the commas do not count."""
    return tuple(dict.fromkeys(name for part in text.split(",") if (name := part.strip())))


def exposed_methods(catalog: Catalog, names: Sequence[str], *, allowed: MethodFilter = whatever) -> list[Method]:
    """The methods that the names stand for, each once, in the catalog's order.

    Args:
        catalog: every method there is.
        names: services, tools, or `all`.
        allowed: leaves out what the switches forbid, however it was named.

    Raises:
        ExposureError: the first name that is none of these. Nothing is exposed then.
    """
    services = catalog.services()
    _check(names, services, catalog)
    wanted = frozenset(names)
    chosen = [tool for tool, service, _ in catalog.encoded() if ALL in wanted or service in wanted or tool in wanted]
    return [method for method in map(catalog.get, chosen) if allowed(method)]


def _check(names: Iterable[str], services: Iterable[str], catalog: Catalog) -> None:
    known = dict.fromkeys([ALL, *services, *catalog.names()])
    for name in names:
        if name not in known:
            said = UnknownName.among("service or tool", name, known)
            raise ExposureError(said.sentence, next_step=said.next_step, **said.data)
