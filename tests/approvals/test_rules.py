"""Rules of the user's: what they fit, which one wins, how often they speak."""

import tomllib
from datetime import UTC, datetime, timedelta
from pathlib import Path

import anyio
import pytest

from handrail.approvals import (
    Action,
    DeniedByRuleError,
    Mode,
    NeedsApprovalError,
    Policy,
    PolicyError,
    load_policy,
)
from handrail.approvals.rule_file import read_policy
from handrail.approvals.rules import POLICY_EXAMPLE
from handrail.hints import Risk
from handrail.json_types import Json
from tests.approvals.callers import NOW, YES, Bench, Caller, Reply, action, bench, plain, read

HERE = Path("policy.toml")
ALLOWED = ("PERSON", "person: rule r")


def rules(body: str) -> Policy:
    """A policy of one rule that is called `r`, or of more."""
    return read_policy(f'[[rule]]\nname = "r"\n{body}\n'.encode(), HERE, now=NOW)


async def allowed(at: Bench, policy: Policy, deed: Action | None = None) -> bool:
    try:
        return await at.level(deed or action(), gate=at.gate(policy=policy)) == ALLOWED
    except NeedsApprovalError:
        return False


@pytest.mark.parametrize(
    "body",
    [
        'tools = ["tables_db_delete_row"]',
        'tools = ["users_*", "tables_db_*"]',
        'services = ["tables_db"]',
        'risks = ["delete", "irreversible", "bulk"]',
        'tools = ["*"]\nproject = "main"',
        'tools = ["*"]\n[rule.arguments]\nrow_id = "r1"',
        'tools = ["*"]\n[rule.arguments]\nrow_id = { like = "r?" }',
        'tools = ["*"]\n[rule.arguments]\nrow_id = { one_of = ["r0", "r1"] }',
    ],
)
async def test_a_rule_that_fits_speaks_for_a_person(at: Bench, body: str) -> None:
    assert await allowed(at, rules(f'effect = "allow"\n{body}'))


@pytest.mark.parametrize(
    "body",
    [
        'tools = ["tables_db_delete_ro"]',
        'tools = ["TABLES_DB_*"]',
        'services = ["tables"]',
        'services = ["tables_*"]',
        'risks = ["delete"]',  # it is irreversible as well
        'risks = ["money"]',
        'tools = ["*"]\nproject = "main*"',
        'tools = ["*"]\n[rule.arguments]\nrow_id = "R1"',
        'tools = ["*"]\n[rule.arguments]\nrow_id = { like = "r" }',
        'tools = ["*"]\n[rule.arguments]\nrow_id = { one_of = ["r0"] }',
        'tools = ["*"]\n[rule.arguments]\nmissing = { like = "*" }',
        'tools = ["*"]\nservices = ["users"]',
    ],
)
async def test_a_rule_that_does_not_fit_says_nothing(at: Bench, body: str) -> None:
    assert not await allowed(at, rules(f'effect = "allow"\n{body}'))


@pytest.mark.parametrize(
    ("wanted", "given"), [("1", 1.0), ("1", True), ("true", 1), ("1.0", 1), ('"1"', 1), ("1", "1")]
)
async def test_an_argument_fits_in_its_own_type_only(at: Bench, wanted: str, given: Json) -> None:
    deed = action(arguments={"a": given})

    for form in (wanted, f"{{ one_of = [{wanted}] }}"):
        assert not await allowed(at, rules(f'effect = "allow"\ntools = ["*"]\n[rule.arguments]\na = {form}'), deed)
        same = action(arguments={"a": tomllib.loads(f"a = {wanted}")["a"]})
        assert await allowed(at, rules(f'effect = "allow"\ntools = ["*"]\n[rule.arguments]\na = {form}'), same)


async def test_a_rule_without_a_project_allows_no_write_to_another_one(at: Bench) -> None:
    other = action(project="other", other_project=True)

    assert not await allowed(at, rules('effect = "allow"\ntools = ["*"]'), other)
    assert await allowed(at, rules('effect = "allow"\ntools = ["*"]\nproject = "other"'), other)


async def test_secrets_in_the_open_are_allowed_by_their_own_name_only(at: Bench) -> None:
    assert not await allowed(at, rules('effect = "allow"\ntools = ["*"]'), read(reveal=True))
    assert await allowed(at, rules('effect = "allow"\nrisks = ["reveal"]'), read(reveal=True))


@pytest.mark.promise("a-deny-wins")
@pytest.mark.parametrize(
    ("deed", "mode"),
    [
        *((deed, mode) for deed in (action(), plain(), read()) for mode in (Mode.ASK, Mode.CONFIRM, Mode.ALLOW)),
        (read(), Mode.OFF),
    ],
)
async def test_a_rule_against_a_call_wins_over_everything(at: Bench, deed: Action, mode: Mode) -> None:
    policy = rules(
        'effect = "allow"\ntools = ["*"]\n[[rule]]\nname = "no"\neffect = "deny"\n'
        f'tools = ["{deed.tool}"]\n[[rule]]\nname = "after"\neffect = "allow"\ntools = ["*"]'
    )
    caller = Caller(Reply("accept", YES))

    with pytest.raises(DeniedByRuleError, match="'no'"):
        await at.level(deed, caller, gate=at.gate(mode, policy=policy), confirm_write=True)

    assert not caller.asked


async def test_a_deny_by_risk_needs_one_of_them(at: Bench) -> None:
    policy = rules('effect = "deny"\nrisks = ["people", "irreversible"]')

    with pytest.raises(DeniedByRuleError):
        await at.level(action(), gate=at.gate(policy=policy))
    with pytest.raises(DeniedByRuleError):
        await at.level(action("mail", risks=[Risk.PEOPLE]), gate=at.gate(policy=policy), confirm_write=True)


@pytest.mark.parametrize("deed", [action(), plain(), read()], ids=["grave", "plain", "read"])
@pytest.mark.parametrize("mode", [Mode.ASK, Mode.CONFIRM, Mode.ALLOW])
async def test_what_a_rule_asks_for_needs_a_person_each_time_and_no_rule_does(
    at: Bench, deed: Action, mode: Mode
) -> None:
    policy = rules('effect = "allow"\ntools = ["*"]\n[[rule]]\nname = "a"\neffect = "ask"\ntools = ["*"]')
    gate = at.gate(mode, policy=policy)

    with pytest.raises(NeedsApprovalError, match="needs a person"):
        await at.level(deed, gate=gate, confirm_write=True)
    assert (await at.level(deed, Caller(Reply("accept", YES)), gate=gate))[0] == "CLIENT"


async def test_a_rule_ends_while_the_server_runs(at: Bench) -> None:
    until = datetime.fromtimestamp(NOW, UTC) + timedelta(seconds=60)
    policy = rules(f'effect = "allow"\ntools = ["*"]\nuntil = {until.isoformat()}')

    assert await allowed(at, policy)
    at.now = NOW + 60
    assert not await allowed(at, policy)


@pytest.mark.promise("rules-are-counted")
async def test_a_rule_speaks_as_often_as_it_says_over_all_servers_and_restarts(at: Bench) -> None:
    policy = rules('effect = "allow"\ntools = ["*"]\ntimes = 3')
    granted: list[bool] = []

    async def try_it(one: Bench) -> None:
        granted.append(await allowed(one, policy))

    with bench(at.home) as other:
        async with anyio.create_task_group() as group:
            for one in (at, other, at, other, at):
                group.start_soon(try_it, one)
    at.book.close()

    assert sum(granted) == 3
    assert not await allowed(at, policy)
    assert await allowed(at, rules('effect = "allow"\ntools = ["*"]\ntimes = 4')), "a changed rule counts anew"


async def test_a_rule_that_is_used_up_leaves_it_to_the_next_one(at: Bench) -> None:
    policy = rules('effect = "allow"\ntools = ["*"]\ntimes = 1\n[[rule]]\nname = "s"\neffect = "allow"\ntools = ["*"]')

    assert await at.level(action(), gate=at.gate(policy=policy)) == ALLOWED
    assert await at.level(action(), gate=at.gate(policy=policy)) == ("PERSON", "person: rule s")


def test_the_example_is_a_policy(tmp_path: Path) -> None:
    path = tmp_path / "policy.toml"
    path.write_text(POLICY_EXAMPLE, encoding="utf-8")
    path.chmod(0o600)

    assert [rule.name for rule in load_policy(path, required=True).rules] == [
        "clean up staging",
        "keys are made by hand",
        "deletes in the test project",
    ]


TOOLS = 'effect = "allow"\ntools = ["*"]\n'


@pytest.mark.parametrize(
    ("body", "line", "words"),
    [
        (f"{TOOLS}tool = 5", 5, "'tools' is one"),
        ('effect = "alow"\ntools = ["*"]', 3, "'allow', 'ask' or 'deny'"),
        ('effect = "allow"', 1, "tools, services or risks"),
        ('effect = "allow"\nrisks = ["irreversable"]', 4, "no risk 'irreversable'. Use 'irreversible'."),
        (f"{TOOLS}until = 2030-01-01T00:00:00", 5, "timezone"),
        (f"{TOOLS}until = 2030-01-01", 5, "datetime"),
        (f"{TOOLS}until = 2020-01-01T00:00:00Z", 5, "ended at 2020-01-01"),
        (f'{TOOLS}until = "2030-01-01T00:00:00Z"', 5, "datetime"),
        (f"{TOOLS}times = 0", 5, "greater than or equal to 1"),
        (f"{TOOLS}times = true", 5, "integer"),
        (f"{TOOLS}times = 1.0", 5, "integer"),
        ('effect = "deny"\ntools = ["*"]\ntimes = 3', 1, "only an allow rule"),
        ('effect = "allow"\ntools = "*"', 4, "tuple"),
        ('effect = "allow"\ntools = [""]', 4, "at least 1"),
        (f"{TOOLS}project = 7", 5, "string"),
        (f'{TOOLS}[rule.arguments]\na = {{ lik = "x" }}', 6, "no key"),
        (f"{TOOLS}[rule.arguments]\na = {{ one_of = [] }}", 6, "at least 1"),
        (f'{TOOLS}[rule.arguments]\na = {{ like = "x", one_of = ["y"] }}', 6, "either like or one_of"),
        (f"{TOOLS}[rule.arguments]\na = {{}}", 6, "either like or one_of"),
        (f"{TOOLS}[rule.arguments]\na = [1]", 6, "rule.1.arguments.a"),
        (f'{TOOLS}[[rule]]\nname = "r"\n{TOOLS}', 6, "two rules are called 'r'"),
        (f'{TOOLS}[[rule]]\nnam = "s"\n{TOOLS}', None, "name"),
        (f"{TOOLS}until = 2030-13-01T00:00:00Z", 5, "no TOML"),
        (f"{TOOLS}x =", 5, "no TOML"),
    ],
)
@pytest.mark.promise("the-policy-is-strict")
def test_what_is_wrong_in_a_policy_is_said_with_its_line(body: str, line: int | None, words: str) -> None:
    with pytest.raises(PolicyError) as refused:
        rules(body)

    assert words in refused.value.message
    assert line is None or refused.value.data["line"] == line


@pytest.mark.parametrize("content", [b"\xff", b"rules = 1", b"rule = 1", b"rule = [1]", b"a=" + b"[" * 5_000, b"\0"])
def test_what_is_no_policy_is_refused(content: bytes) -> None:
    with pytest.raises(PolicyError):
        read_policy(content, HERE, now=NOW)


def test_a_policy_that_is_not_there_holds_no_rules_unless_somebody_named_it(tmp_path: Path) -> None:
    assert load_policy(tmp_path / "policy.toml", required=False).rules == ()
    with pytest.raises(PolicyError, match="does not exist"):
        load_policy(tmp_path / "policy.toml", required=True)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o602, 0o660, 0o644, 0o777, 0o610])
@pytest.mark.promise("the-policy-is-strict")
def test_a_policy_that_others_may_touch_is_refused(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "policy.toml"
    path.write_text(POLICY_EXAMPLE, encoding="utf-8")
    path.chmod(mode)

    with pytest.raises(PolicyError, match=f"mode {mode:04o}"):
        load_policy(path, required=False)


def test_a_policy_that_is_no_plain_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")

    for name, words in (("folder", "no plain file"), ("dangling", "does not exist")):
        with pytest.raises(PolicyError, match=words):
            load_policy(tmp_path / name, required=False)


def test_a_policy_that_can_not_be_reached_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch(0o600)

    with pytest.raises(PolicyError, match="cannot be read"):
        load_policy(tmp_path / "file" / "policy.toml", required=False)


def test_a_policy_that_is_too_large_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "policy.toml"
    path.touch(0o600)
    path.write_bytes(b"#" * 300_000)

    with pytest.raises(PolicyError, match="larger than"):
        load_policy(path, required=False)
