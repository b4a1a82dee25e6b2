"""Rules that the user writes in `policy.toml`: what is allowed without asking, what is always asked, what never done.

The whole file looks like this; `handrail approvals --policy-example` prints it.

    # A rule speaks for calls that fit all it says. If several do: deny before ask before allow.

    [[rule]]
    name = "clean up staging"              # shown in the journal; each name once
    effect = "allow"                       # allow: as if a person had agreed | ask: a person or the client, each time,
                                           # even for what is not grave | deny: never
    tools = ["tables_db_delete_row"]       # names, or patterns such as "tables_db_*"
    until = 2099-12-31T18:00:00Z           # with a time zone
    times = 20                             # this often in all, over all processes; a changed rule counts anew

    [rule.arguments]                       # each must be there and fit
    database_id = "staging"                # exactly this
    table_id = { like = "tmp_*" }          # a pattern
    row_id = { one_of = ["a", "b"] }       # one of these

    [[rule]]
    name = "keys are made by hand"
    effect = "deny"
    services = ["project"]                 # whole services
    risks = ["access"]                     # deny and ask: with any of these

    [[rule]]
    name = "deletes in the test project"
    effect = "allow"
    risks = ["delete", "irreversible"]     # allow: grave for no other reason than these
    project = "test"                       # without it a rule never allows a write to a project that is not the default

Secrets in the open (`reveal`) are allowed only by a rule that lists the risk `reveal`. The risks: access, bulk, code,
delete, downtime, external, irreversible, money, other_project, people, reveal, secret.

A process that runs as you and may write your files can write this one, too: where an agent has a shell without a
sandbox, no file of yours is out of its reach.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import Annotated, Final, TypeAlias

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, field_validator, model_validator

from handrail.approvals.action import OTHER_PROJECT, REASONS, REVEAL, Action, canonical
from handrail.approvals.errors import ActionError
from handrail.arguments import UnknownName
from handrail.json_types import Json

__all__ = ["POLICY_EXAMPLE", "Argument", "Pattern", "Policy", "Rule", "RuleEffect"]

_NAME_LENGTH: Final = 80
_Text: TypeAlias = Annotated[str, Field(min_length=1, max_length=256)]


class RuleEffect(StrEnum):
    """What a rule says of the calls that it fits."""

    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


_Scalar: TypeAlias = str | bool | int | float


class Pattern(_Strict):
    """What an argument must be like, or be one of, in its own type."""

    like: str | None = None
    one_of: tuple[_Scalar, ...] | None = Field(default=None, min_length=1, strict=False)

    @model_validator(mode="after")
    def _says_one_thing(self) -> "Pattern":
        if (self.like is None) is (self.one_of is None):
            raise ValueError("a pattern has either like or one_of")
        return self

    def fits(self, value: Json) -> bool:
        """Whether an argument does."""
        if self.like is not None:
            return isinstance(value, str) and fnmatchcase(value, self.like)
        return any(_same(value, one) for one in self.one_of or ())


Argument: TypeAlias = _Scalar | Pattern


class Rule(_Strict):
    """One rule. What it does not say, it does not ask for."""

    name: str = Field(min_length=1, max_length=_NAME_LENGTH, pattern=r"^[^\x00-\x1f\x7f-\x9f]+$")
    effect: Annotated[RuleEffect, Field(strict=False)]
    tools: tuple[_Text, ...] = Field(default=(), strict=False)
    services: tuple[_Text, ...] = Field(default=(), strict=False)
    risks: frozenset[str] = Field(default=frozenset(), strict=False)
    project: _Text | None = None
    arguments: dict[str, Argument] = Field(default_factory=dict)
    until: AwareDatetime | None = None
    times: Annotated[int, Field(ge=1)] | None = None

    @field_validator("risks")
    @classmethod
    def _are_risks(cls, risks: frozenset[str]) -> frozenset[str]:
        for unknown in sorted(risks - set(REASONS)):
            said = UnknownName.among("risk", unknown, REASONS)
            raise ValueError(f"{said.sentence} {said.next_step}")
        return risks

    @model_validator(mode="after")
    def _is_about_something(self) -> "Rule":
        if not (self.tools or self.services or self.risks):
            raise ValueError("it must name tools, services or risks")
        if self.times is not None and self.effect is not RuleEffect.ALLOW:
            raise ValueError("only an allow rule can be used up")
        return self

    @property
    def key(self) -> str:
        """What its uses are counted under: a rule that was changed is another one."""
        return hashlib.sha256(
            self.model_dump_json(exclude={"risks"}).encode() + repr(sorted(self.risks)).encode()
        ).hexdigest()

    def fits(self, action: Action, now: float) -> bool:
        """Whether the rule speaks for, or against, this action at this moment (seconds since 1970)."""
        if self.until is not None and self.until <= datetime.fromtimestamp(now, UTC):
            return False
        return (
            self._fits_name(action)
            and self._fits_project(action)
            and self._fits_risks(action)
            and self._fits_arguments(action)
        )

    def _fits_name(self, action: Action) -> bool:
        if self.tools and not any(fnmatchcase(action.tool, pattern) for pattern in self.tools):
            return False
        return not self.services or action.service in self.services

    def _fits_project(self, action: Action) -> bool:
        if self.project is not None:
            return action.project == self.project
        return self.effect is not RuleEffect.ALLOW or OTHER_PROJECT not in action.grave

    def _fits_risks(self, action: Action) -> bool:
        has = action.grave | {risk.value for risk in action.effect.risks}
        if self.effect is not RuleEffect.ALLOW:
            return not self.risks or bool(self.risks & has)
        if REVEAL in action.grave and REVEAL not in self.risks:
            return False
        # The project was looked at already; a rule that names one means it.
        return not self.risks or (bool(self.risks & has) and action.grave - {OTHER_PROJECT} <= self.risks)

    def _fits_arguments(self, action: Action) -> bool:
        return all(
            name in action.arguments and _fits(wanted, action.arguments[name])
            for name, wanted in self.arguments.items()
        )


@dataclass(frozen=True, slots=True)
class Policy:
    """All rules of a user."""

    rules: tuple[Rule, ...] = ()

    def fitting(self, effect: RuleEffect, action: Action, now: float) -> Iterable[Rule]:
        """The rules of one effect that fit an action, in the order of the file."""
        return (rule for rule in self.rules if rule.effect is effect and rule.fits(action, now))


def _fits(wanted: Argument, value: Json) -> bool:
    return wanted.fits(value) if isinstance(wanted, Pattern) else _same(value, wanted)


def _same(value: Json, wanted: Json) -> bool:
    """Whether two values are the same, in their types as well: 1, 1.0 and true are three things."""
    try:
        return canonical(value) == canonical(wanted)
    except ActionError:
        return False


def _example(documentation: str) -> str:
    lines = [line.removeprefix("    ") for line in documentation.splitlines() if not line or line.startswith("    ")]
    return "\n".join(lines).strip() + "\n"


POLICY_EXAMPLE: Final = _example(__doc__ or "")
"""A whole `policy.toml` with what each line means."""
