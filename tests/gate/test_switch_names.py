"""A switch that is misspelt, by option or by environment, ends the start with the nearest right one."""

import pytest

from handrail.cli.entry import main
from tests.cli.conftest import Command

WRONG = [
    (["--read-onyl"], {}, "--read-only"),
    (["--service", "users"], {}, "--services"),
    (["--tool", "users_list"], {}, "--tools"),
    (["--denny", "users"], {}, "--deny"),
    (["--write", "off"], {}, "--writes"),
    (["--services", "usrs"], {}, "users"),
    (["--tools", "users_lst"], {}, "users_list"),
    (["--deny", "tablesdb"], {}, "tables_db"),
    (["--writes", "of"], {}, "off"),
    (["--grave", "tokn"], {}, "token"),
    ([], {"HANDRAIL_SERVICES": "usrs"}, "users"),
    ([], {"HANDRAIL_TOOLS": "users_lst"}, "users_list"),
    ([], {"HANDRAIL_DENY": "tables_db_delete_rw"}, "tables_db_delete_row"),
    ([], {"HANDRAIL_WRITES": "of"}, "off"),
    ([], {"HANDRAIL_GRAVE": "tokn"}, "token"),
    ([], {"HANDRAIL_READ_ONLY": "ture"}, "HANDRAIL_READ_ONLY"),
    ([], {"HANDRAIL_READONLY": "1"}, "HANDRAIL_READ_ONLY"),
    ([], {"HANDRAIL_SERVICE": "users"}, "HANDRAIL_SERVICES"),
    ([], {"HANDRAIL_TOOL": "users_list"}, "HANDRAIL_TOOLS"),
    ([], {"HANDRAIL_DENNY": "users"}, "HANDRAIL_DENY"),
    ([], {"HANDRAIL_WRITE": "off"}, "HANDRAIL_WRITES"),
]


@pytest.mark.promise("misspelt-switches-end-the-start")
@pytest.mark.parametrize(("options", "environment", "right"), WRONG)
@pytest.mark.parametrize("start", [["serve", "--sandbox"], ["call", "users_list", "--sandbox"]])
def test_nothing_starts_with_it(  # in this process: the commands' own words and codes
    options: list[str],
    environment: dict[str, str],
    right: str,
    start: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    if start[0] == "call" and "--grave" in options:
        options = ["--grave-is-no-option-here"]
        right = "No such option"
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("os.umask", lambda _mask: 0o077)  # that of this process stays
    monkeypatch.setattr("sys.argv", ["handrail", *start, *options])

    with pytest.raises(SystemExit) as ended:
        main()

    out, error = capfd.readouterr()
    assert (ended.value.code, out) == (2, "")
    assert right in error
    assert "Traceback" not in error


@pytest.mark.promise("misspelt-switches-end-the-start")
@pytest.mark.parametrize(("options", "environment", "right"), [WRONG[0], WRONG[5], WRONG[16]])
def test_the_real_server_does_not_start_with_it(
    command: Command, options: list[str], environment: dict[str, str], right: str
) -> None:
    ended = command("serve", "--sandbox", *options, **environment)

    assert (ended.returncode, ended.stdout) == (2, "")
    assert right in ended.stderr
    assert "Traceback" not in ended.stderr
