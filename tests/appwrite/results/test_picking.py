"""Picking a part of an answer."""

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handrail.appwrite.results.picking import LONGEST_PICK, PickError, pick, pick_expression
from handrail.json_types import Json

pytestmark = pytest.mark.unit

ROWS: Json = {
    "total": 2,
    "rows": [{"$id": "a", "n": 2**70, "f": 1.0, "tags": ["x"]}, {"$id": "b", "n": 1, "f": 0.5, "tags": []}],
}


@pytest.mark.parametrize(
    ("expression", "picked"),
    [
        ("total", 2),
        ('rows[*]."$id"', ["a", "b"]),
        ('rows[?n > `1`].{id: "$id", f: f}', [{"id": "a", "f": 1.0}]),
        ("rows[0].n", 2**70),
        ("nothing", None),
        ("length(rows)", 2),
        ("rows[].tags[]", ["x"]),
    ],
)
def test_an_expression_picks_what_it_names(expression: str, picked: Json) -> None:
    assert json.dumps(pick(ROWS, expression)) == json.dumps(picked)


@pytest.mark.parametrize(
    ("expression", "column"),
    [
        ("rows[*", 7),
        ("rows[*].$id", 9),
        ("rows..x", 6),
        ("", None),
        ("a b", 3),
        ("'open", 1),
    ],
)
def test_a_wrong_expression_is_refused_with_the_place(expression: str, column: int | None) -> None:
    with pytest.raises(PickError) as raised:
        pick_expression(expression)

    assert raised.value.data["column"] == column
    assert raised.value.next_step


@pytest.mark.promise("pick-is-bounded")
@pytest.mark.parametrize(
    "expression",
    [
        "x" * (LONGEST_PICK + 1),
        "(" * 300,
        "!" * 500,
        "[@,@]|" * 70 + "@",
        "[@,@][]|" * 60 + "@",
        "{a:@,b:@}|" * 50 + "@",
        f"{'[@,@]|' * 30}@ == {'[@,@]|' * 30}@",
        "['xxxxxxxxxxxxxxxx','x']|" + "[join('',@),join('',@)]|" * 19 + "@",
        "[@,@]|" * 40 + "to_string(@)",
        "rows[::0]",
        "unknown(@)",
        "abs('x')",
        "ceil(to_number('1e999'))",
        "to_number('1e999')",
        "to_number('NaN')",
        "&rows",
        "[&rows]",
        "sort(rows)",
        "sum(rows[*].tags)",
        "length(`1`)",
    ],
)
def test_an_expression_that_is_too_much_or_fits_nothing_is_refused_soon(expression: str) -> None:
    begun = time.monotonic()

    with pytest.raises(PickError) as raised:
        pick(ROWS, expression)

    assert raised.value.next_step
    assert time.monotonic() - begun < 10


def test_a_large_answer_can_be_picked_from() -> None:
    document: Json = {"rows": [{"$id": str(at), "name": "n" * 50, "n": at} for at in range(20_000)]}

    picked = pick(document, 'rows[?n > `19000`].{id: "$id", name: name}')

    assert isinstance(picked, list)
    assert len(picked) == 999


PIECES = st.sampled_from(
    ["rows", "total", "*", "[*]", "[]", "[0]", "[?n > `1`]", ".", "|", "@", "&", "(", ")", "length(@)", "{a:n}",
     "sort_by(rows,&n)",
     "[@,@]", "`1`", "'x'", "!", "||", "&&", "==", "<", ",", '"$id"', "map(&n,rows)", "merge(@,@)", "join('',@)",
     "max_by(rows,&n)", "to_number(@)", "avg(rows[*].n)", "[::2]", "[-1:]", "reverse(@)", "keys(@)", "floor(@)", "\x00"]
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES, max_size=12).map("".join))
def test_any_expression_answers_json_or_is_refused(expression: str) -> None:
    try:
        picked = pick(ROWS, expression)
    except PickError:
        return
    json.dumps(picked, allow_nan=False)
