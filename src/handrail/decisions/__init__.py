"""Decision models: what they are asked, what they answer, the check that every answer passes, and the models by name.

decider = Decider(built_in_models().create("rule", ModelSetup()))
choice, decision = await decider.choose(Observation("I was charged twice"), ChoiceQuestion({...}))
"""

from handrail.decisions.contract import (
    MAX_OPTIONS,
    Answer,
    Choice,
    ChoiceQuestion,
    Decision,
    DecisionModel,
    ModelCallFailedError,
    ModelUnreachableError,
    Observation,
    Question,
    QuestionError,
    QuestionType,
    Reply,
    Usage,
    choice_from,
    confidence,
)
from handrail.decisions.decider import Decider
from handrail.decisions.random_model import RandomModel
from handrail.decisions.registry import (
    ModelEntry,
    ModelRegistry,
    ModelSetup,
    UnknownModelError,
    built_in_models,
    only_named,
)
from handrail.decisions.rule_model import Rule, RuleModel

__all__ = [
    "MAX_OPTIONS",
    "Answer",
    "Choice",
    "ChoiceQuestion",
    "Decider",
    "Decision",
    "DecisionModel",
    "ModelCallFailedError",
    "ModelEntry",
    "ModelRegistry",
    "ModelSetup",
    "ModelUnreachableError",
    "Observation",
    "Question",
    "QuestionError",
    "QuestionType",
    "RandomModel",
    "Reply",
    "Rule",
    "RuleModel",
    "UnknownModelError",
    "Usage",
    "built_in_models",
    "choice_from",
    "confidence",
    "only_named",
]
