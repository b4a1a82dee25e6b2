"""The types of a JSON document."""

from collections.abc import Mapping
from typing import TypeAlias

__all__ = ["Json", "JsonMapping", "JsonObject"]

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"
JsonObject: TypeAlias = dict[str, Json]
JsonMapping: TypeAlias = Mapping[str, Json]
