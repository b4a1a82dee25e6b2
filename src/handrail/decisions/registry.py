"""The decision models by name."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from handrail.arguments import UnknownName
from handrail.decisions.contract import DecisionModel
from handrail.decisions.random_model import RandomModel
from handrail.decisions.rule_model import Rule, RuleModel
from handrail.errors import NotFoundError

__all__ = ["ModelEntry", "ModelRegistry", "ModelSetup", "UnknownModelError", "built_in_models", "only_named"]


class UnknownModelError(NotFoundError):
    """There is no decision model of that name. `data` holds `model`, `nearest` and `known`."""

    type = "model_unknown"


@dataclass(frozen=True, slots=True)
class ModelSetup:
    """What a model is made with.

    Attributes:
        seed: for a model that draws numbers; None for the system's own randomness.
        rule: what an agent knows about its own environment.
        environment: the environment variables that there are; a model gets those that its entry names.
    """

    seed: int | None = None
    rule: Rule | None = None
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)


ModelFactory: TypeAlias = Callable[[ModelSetup], DecisionModel]


@dataclass(frozen=True, slots=True)
class ModelEntry:
    """A model that can be made.

    Attributes:
        name: what it is asked for by.
        description: one line for people and models.
        make: makes one.
        environment: the names of the environment variables that it reads, its key among them.
    """

    name: str
    description: str
    make: ModelFactory
    environment: tuple[str, ...] = ()


class ModelRegistry:
    """The models that there are. Making one loads nothing; `warm` does."""

    def __init__(self, entries: Iterable[ModelEntry]) -> None:
        self._entries = {entry.name: entry for entry in entries}

    def entries(self) -> tuple[ModelEntry, ...]:
        """All models, in the order of their registration."""
        return tuple(self._entries.values())

    def names(self) -> list[str]:
        """All names, in the order of their registration."""
        return list(self._entries)

    def create(self, name: str, setup: ModelSetup) -> DecisionModel:
        """A new model, which sees of the environment no more than its entry names.

        Raises:
            UnknownModelError: there is none of that name.
        """
        entry = self.get(name)
        return entry.make(replace(setup, environment=only_named(setup.environment, entry.environment)))

    def get(self, name: str) -> ModelEntry:
        """One model's entry.

        Raises:
            UnknownModelError: there is none of that name.
        """
        entry = self._entries.get(name)
        if entry is None:
            said = UnknownName.among("decision model", name, self._entries)
            raise UnknownModelError(said.sentence, next_step=said.next_step, **said.data)
        return entry


def only_named(environment: Mapping[str, str], names: Iterable[str]) -> dict[str, str]:
    """The variables of these names, without those that are not set."""
    return {name: environment[name] for name in names if name in environment}


def built_in_models() -> ModelRegistry:
    """The models that need nothing: `rule` and `random`."""
    return ModelRegistry(
        (
            ModelEntry(
                "rule",
                "The agent's own rule where it has one, else word overlap between the state and the options.",
                lambda setup: RuleModel(setup.rule),
            ),
            ModelEntry(
                "random",
                "Any option, drawn from the seed: the floor that others have to beat.",
                lambda setup: RandomModel(setup.seed),
            ),
        )
    )
