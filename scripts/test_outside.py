"""What `make test` cannot see from its own environment: other Pythons, the wheel that users install, others' judgement.

Each lives in an environment of its own in the cache folder, which is kept from run to run.
"""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

ROOT: Final = Path(__file__).parent.parent
CACHE: Final = ROOT / ".cache"
PYTHONS: Final = ("3.11", "3.12", "3.13")
LEFT_OUT_ELSEWHERE: Final = ("conformance", "runs/faults", "cli", "gate", "appwrite/planner")
"""What another Python adds nothing to: foreign programs, minutes of kills, and the same code through more processes."""
GROUNDTRUTH: Final = "mcp-groundtruth==0.3.0"


class StepFailedError(Exception):
    """A command of a step ended with another exit code than 0."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """Why a step could not be done here."""

    reason: str


def main() -> int:
    """Do every step and say how each ended; exit code 1 if one failed."""
    steps: dict[str, Callable[[], Skipped | None]] = {
        **{f"tests on Python {version}": _on_python(version) for version in PYTHONS if not _is_ours(version)},
        "the wheel, installed": _the_wheel,
        "hints, by mcp-groundtruth": _by_groundtruth,
    }
    ended = {name: _attempt(name, step) for name, step in steps.items()}
    print()
    for name, how in ended.items():
        print(f"{name:<28}{how}")
    failed = sum(how.startswith("failed") for how in ended.values())
    skipped = sum(how.startswith("skipped") for how in ended.values())
    print(f"{len(ended) - failed - skipped} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


def _attempt(name: str, step: Callable[[], Skipped | None]) -> str:
    print(f"\n== {name}", flush=True)
    began = time.monotonic()
    try:
        skipped = step()
    except StepFailedError as error:
        return f"failed: {error}"
    return f"skipped: {skipped.reason}" if skipped else f"passed in {time.monotonic() - began:.0f} s"


def _on_python(version: str) -> Callable[[], Skipped | None]:
    def step() -> Skipped | None:
        interpreter = _find(version)
        if interpreter is None:
            return Skipped(f"no Python {version} on this machine; install one to have the tests run on it")
        python = _environment(f"py{version}", interpreter)
        _run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--editable", f"{ROOT}[dev]")
        left_out = [f"--ignore=tests/{folder}" for folder in LEFT_OUT_ELSEWHERE]
        _run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *left_out, cwd=ROOT)
        return None

    return step


def _the_wheel() -> None:
    with TemporaryDirectory() as folder:
        _run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, str(ROOT))
        wheel = next(Path(folder).glob("handrail-*.whl"))
        environment = CACHE / "wheel"
        shutil.rmtree(environment, ignore_errors=True)
        python = _environment("wheel", sys.executable)
        _run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", str(wheel))
        handrail = str(Path(python).with_name("handrail"))
        _run(handrail, "--version", cwd=folder)
        _run(handrail, "demo", cwd=folder)


def _by_groundtruth() -> None:
    python = _environment("groundtruth", sys.executable)
    _run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", GROUNDTRUTH)
    script = ROOT / "scripts" / "outside" / "groundtruth.py"
    _run(sys.executable, str(script), str(Path(python).with_name("mcpgt")), str(CACHE / "groundtruth" / "work"))


def _is_ours(version: str) -> bool:
    return version == f"{sys.version_info.major}.{sys.version_info.minor}"


def _find(version: str) -> str | None:
    """An interpreter that really runs: a version manager's shim may stand on the path with nothing behind it."""
    kept = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"), reverse=True)
    candidates = [shutil.which(f"python{version}"), *map(str, kept)]
    return next((candidate for candidate in candidates if candidate and _runs(candidate)), None)


def _runs(interpreter: str) -> bool:
    return subprocess.run([interpreter, "-c", ""], capture_output=True, check=False).returncode == 0


def _environment(name: str, interpreter: str) -> str:
    """The Python of an environment in the cache folder, made when it is missing."""
    folder = CACHE / name
    python = folder / "bin" / "python"
    if not python.exists():
        _run(interpreter, "-m", "venv", str(folder))
    return str(python)


def _run(*command: str, cwd: Path | str | None = None) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"}
    code = subprocess.run(command, cwd=cwd, env=environment, check=False).returncode
    if code != 0:
        raise StepFailedError(f"exit code {code} from {' '.join(command[:4])}")


if __name__ == "__main__":
    sys.exit(main())
