"""The promise manifest holds both ways: every promise has a test, and every test that claims one has its row."""

import ast
import tomllib
from pathlib import Path

import pytest

pytestmark = pytest.mark.unit

TESTS = Path(__file__).parent


def _promised() -> dict[str, str]:
    rows = tomllib.loads((TESTS / "promises.toml").read_text(encoding="utf-8"))["promise"]
    ids = [row["id"] for row in rows]
    assert len(ids) == len(set(ids)), "a promise stands twice"
    return {row["id"]: row["sentence"] for row in rows}


def _claimed() -> dict[str, list[str]]:
    """The promise ids that tests claim, with the tests that claim them."""
    claims: dict[str, list[str]] = {}
    for path in sorted(TESTS.rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                for promise in _ids(node):
                    claims.setdefault(promise, []).append(f"{path.name}::{node.name}")
    return claims


def _ids(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    return [
        argument.value
        for decorator in function.decorator_list
        if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "pytest.mark.promise"
        for argument in decorator.args
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
    ]


def test_every_promise_has_a_test() -> None:
    assert sorted(set(_promised()) - set(_claimed())) == []


def test_every_test_that_claims_a_promise_has_its_row() -> None:
    assert sorted(set(_claimed()) - set(_promised())) == []


def test_every_promise_is_a_sentence() -> None:
    assert [id_ for id_, sentence in _promised().items() if not sentence.endswith(".")] == []
