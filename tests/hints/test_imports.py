"""The hints are a library of their own: importing them brings nothing but what they need."""

import subprocess
import sys

import pytest

import handrail.hints

_CODE = """
import sys
import mcp_types
before = set(sys.modules)
import handrail.hints
if "all" in sys.argv:
    import importlib
    import pkgutil
    for module in pkgutil.iter_modules(handrail.hints.__path__):
        importlib.import_module(f"handrail.hints.{module.name}")
for name in sorted(set(sys.modules) - before):
    print(name.split(".")[0], name)
"""


@pytest.mark.promise("hints-import-light")
@pytest.mark.parametrize("what", ["package", "all"])
def test_importing_the_hints_brings_only_the_standard_library_and_the_wire_types(what: str) -> None:
    ended = subprocess.run([sys.executable, "-c", _CODE, what], capture_output=True, text=True, timeout=60, check=True)
    loaded = [line.split() for line in ended.stdout.splitlines()]

    assert loaded
    foreign = [name for top, name in loaded if top not in sys.stdlib_module_names and top != "handrail"]
    own = [name for top, name in loaded if top == "handrail" and name not in {"handrail", "handrail.hints"}]
    assert foreign == []
    assert all(name.startswith("handrail.hints.") for name in own)


def test_everything_public_is_there() -> None:
    assert handrail.hints.__all__ == sorted(
        handrail.hints.__all__, key=lambda n: (not n.isupper(), not n[0].isupper(), n)
    )
    assert all(hasattr(handrail.hints, name) for name in handrail.hints.__all__)
