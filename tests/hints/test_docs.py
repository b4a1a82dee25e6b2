"""The documentation tells of every rule, every tag and everything public."""

from pathlib import Path

import pytest

from handrail.hints import OVERRIDE, Risk, rule_names

pytestmark = pytest.mark.unit

TEXT = (Path(__file__).parents[2] / "docs" / "hints.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("word", [*rule_names(), OVERRIDE, *Risk])
def test_every_rule_and_tag_is_documented(word: str) -> None:
    assert f"`{word}`" in TEXT


@pytest.mark.parametrize("risk", list(Risk))
def test_the_documented_meaning_of_a_tag_is_the_one_that_is_shown(risk: Risk) -> None:
    assert f"| `{risk}` | {risk.meaning}" in TEXT
