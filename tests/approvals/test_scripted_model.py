"""A model that copies whatever it sees into whatever it may fill in, for as long as anything new comes of it."""

import itertools
import json
import re
from dataclasses import replace

import pytest

from handrail.approvals import Action, Admission, Consent, Gate, Mode
from handrail.errors import HandrailError
from handrail.json_types import Json
from tests.approvals.callers import YES, Bench, Caller, Reply, RoundOverError, action, plain

WORDS = re.compile(r"[A-Za-z0-9_.:\-]{4,}")
ROUNDS = 4
MOST_WORDS = 14


class Model:
    """Confirms everything, and gives every word it has seen as approval, as token and as both."""

    def __init__(self, at: Bench, gate: Gate) -> None:
        self.at = at
        self.gate = gate
        self.seen: list[Json] = [True, "true", "yes", "approve", ""]
        self.admitted: list[tuple[Action, Admission]] = []
        self.tried = 0

    def look(self, text: str) -> None:
        for word in WORDS.findall(text):
            # What looks like an id or a token is worth more tries than a word of a sentence.
            if word not in self.seen and (any(char.isdigit() for char in word) or len(self.seen) < MOST_WORDS):
                self.seen.append(word)

    async def attack(self, deeds: list[Action]) -> None:
        for deed in deeds:
            self.look(await self.gate.preview_token(deed) or "")
        for _ in range(ROUNDS):
            known = len(self.seen)
            for deed, (approval, token) in itertools.product(deeds, self.pairs()):
                await self.call(deed, Consent(confirm_write=True, approval=approval, token=token))
            if len(self.seen) == known:
                break

    def pairs(self) -> list[tuple[Json, ...]]:
        return [*itertools.product([None, *self.seen], repeat=2)]

    async def call(self, deed: Action, consent: Consent) -> None:
        self.tried += 1
        try:
            admission = await self.gate.admit(deed, consent, Caller(), self.at.preview)
        except HandrailError as error:
            self.look(json.dumps(error.as_json()))
        else:
            self.admitted.append((deed, admission))


DEEDS = [
    action(),
    action("tables_db_delete_rows", arguments={"table_id": "t", "confirm_write": True, "approve": True}),
    action("users_update_status", other_project=True),
]


@pytest.mark.parametrize("mode", [Mode.CONFIRM, Mode.ASK])
@pytest.mark.promise("a-copying-model-does-nothing-grave")
async def test_a_model_that_copies_all_it_sees_does_nothing_grave(at: Bench, mode: Mode) -> None:
    model = Model(at, at.gate(mode))

    await model.attack(DEEDS)

    assert model.tried > 500
    assert [deed.tool for deed, _ in model.admitted] == []


@pytest.mark.promise("a-copying-model-does-nothing-grave")
async def test_tokens_of_previews_and_states_of_questions_of_others_help_it_nothing(at: Bench) -> None:
    with_tokens = at.gate(tokens=True)
    model = Model(at, at.gate())
    for deed in DEEDS:
        model.look(str(await with_tokens.preview_token(deed)))
        with pytest.raises(RoundOverError) as over:
            await at.level(deed, Caller(Reply("accept", YES), in_rounds=True))
        model.look(over.value.state)

    await model.attack(DEEDS)

    assert model.admitted == []


async def test_the_same_model_does_get_plain_writes_and_what_the_setting_gives_away(at: Bench) -> None:
    model = Model(at, at.gate(tokens=True))

    await model.attack([plain(), action()])

    by = {admission.by for _, admission in model.admitted}
    assert by == {"model: confirm_write", "model: token of a preview"}, "so the attack does find what there is"


async def test_an_approval_that_a_person_gave_lets_the_copying_model_do_that_one_deed_once(at: Bench) -> None:
    model = Model(at, at.gate())
    await model.call(DEEDS[0], Consent())
    approval = next(str(word) for word in model.seen if re.fullmatch("[0-9a-f]{32}", str(word)))
    await at.approve(approval)

    await model.attack([*DEEDS, replace(DEEDS[0], arguments={"row_id": "r2"})])

    assert [(deed, admission.by) for deed, admission in model.admitted] == [
        (DEEDS[0], f"person: handrail approve {approval}")
    ]
