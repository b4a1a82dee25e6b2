"""The room's front door."""

import subprocess
import sys

import pytest

import handrail.protocol

pytestmark = pytest.mark.unit


@pytest.mark.parametrize("name", handrail.protocol.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(handrail.protocol, name)


def test_no_other_name_is() -> None:
    with pytest.raises(AttributeError, match="nothing"):
        getattr(handrail.protocol, "nothing")  # noqa: B009  (a type checker would refuse it otherwise)


def test_whoever_only_describes_tools_does_not_load_a_server() -> None:
    script = "import sys, handrail.protocol; print([name for name in sys.modules if name.startswith('mcp.')])"

    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)

    assert loaded.stdout.strip() == "[]"
