"""A PostgreSQL server of the tests' own, from the packages of the system."""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import quote

import psycopg

__all__ = ["PASSWORD", "SHARED", "PostgresServer", "find_binaries", "running_server", "server_of_its_own"]

PASSWORD: Final = "canary/p@ss word?"
_USER: Final = "tester"
_START_SECONDS: Final = 30.0
_STOP_SECONDS: Final = 10.0
_LOOK_SECONDS: Final = 0.02
# Where everybody may go: the session's own folder for temporary files is closed to the user that the server runs as.
# Read before a session has one.
SHARED: Final = Path(tempfile.gettempdir())
_SETTINGS: Final = {
    "fsync": "off",
    "full_page_writes": "off",
    "autovacuum": "off",  # its processes would come and go between the looks for what a test leaves
    "update_process_title": "off",
    "max_logical_replication_workers": "0",
    "shared_buffers": "16MB",
    "max_connections": "100",
    "log_min_messages": "fatal",
}


@dataclass(frozen=True, slots=True)
class PostgresServer:
    """One that runs.

    Attributes:
        folder: where its socket is.
        port: of its socket, and of the loopback address.
    """

    folder: Path
    port: int

    def url(self, *, schema: str = "public", database: str = "postgres", user: str = _USER) -> str:
        """The address of one of its schemas by the socket, where everybody is let in."""
        return (
            f"postgresql://{user}@/{database}?host={quote(str(self.folder), safe='')}&port={self.port}"
            f"&options={quote(f'-csearch_path={schema}')}"
        )

    def tcp_url(self, password: str) -> str:
        """The address by the loopback, where a password is asked for."""
        return f"postgresql://{_USER}:{quote(password, safe='')}@127.0.0.1:{self.port}/postgres"

    def execute(self, statement: str, *, schema: str = "public") -> list[tuple[object, ...]]:
        """Run a statement as the server's master."""
        with psycopg.connect(self.url(schema=schema), autocommit=True) as connection:
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []


def find_binaries() -> Path | None:
    """The folder of `initdb` and `postgres`: the newest of the system's, or on the path; None where there is none."""
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    on_path = shutil.which("initdb")
    found = installed[-1] if installed else Path(on_path).resolve() if on_path else None
    return None if found is None else found.parent


@contextmanager
def running_server(binaries: Path) -> Iterator[PostgresServer]:
    """While this is open, a server runs; nothing of it is left afterwards."""
    with server_of_its_own(binaries) as (server, run), run():
        yield server


@contextmanager
def server_of_its_own(binaries: Path) -> Iterator[tuple[PostgresServer, Callable[[], AbstractContextManager[None]]]]:
    """A server that does not run yet, and what runs it while that is open, any number of times."""
    folder = Path(tempfile.mkdtemp(prefix="handrail-pg-", dir=SHARED))
    try:
        whose = _identity()
        if whose.user is not None:
            os.chown(folder, whose.user, whose.group or -1)
        _make_cluster(binaries, folder, whose)
        server = PostgresServer(folder, _free_port())
        yield server, lambda: _running(binaries, server, whose)
    finally:
        shutil.rmtree(folder)


@contextmanager
def _running(binaries: Path, server: PostgresServer, whose: "_Identity") -> Iterator[None]:
    process = _started(binaries, server, whose)
    try:
        _await_ready(server, process)
        yield
    finally:
        _stop(process)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass(frozen=True, slots=True)
class _Identity:
    """Whom the server runs as; nothing where it is who tests."""

    user: int | None = None
    group: int | None = None

    @property
    def groups(self) -> list[str] | None:
        return None if self.user is None else []


def _identity() -> _Identity:
    """Root may not run a server."""
    if os.geteuid() != 0:
        return _Identity()
    names = {entry.pw_name for entry in pwd.getpwall()}
    found = pwd.getpwnam("postgres" if "postgres" in names else "nobody")
    return _Identity(found.pw_uid, found.pw_gid)


def _make_cluster(binaries: Path, folder: Path, whose: _Identity) -> None:
    secret = folder / "password"
    secret.write_text(PASSWORD, encoding="utf-8")
    secret.chmod(0o644)
    words = [str(binaries / "initdb"), "-D", str(folder / "data"), "-U", _USER, "--pwfile", str(secret)]
    words += ["--auth-local=trust", "--auth-host=scram-sha-256", "--no-sync", "--locale=C", "--encoding=UTF8"]
    done = subprocess.run(
        words,
        user=whose.user,
        group=whose.group,
        extra_groups=whose.groups,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def _started(binaries: Path, server: PostgresServer, whose: _Identity) -> subprocess.Popen[bytes]:
    words = [str(binaries / "postgres"), "-D", str(server.folder / "data"), "-p", str(server.port)]
    words += ["-k", str(server.folder), "-h", "127.0.0.1"]
    words += [word for name, value in _SETTINGS.items() for word in ("-c", f"{name}={value}")]
    if shutil.which("setpriv"):  # it ends with the tests, also where they are killed
        words = ["setpriv", "--pdeathsig", "QUIT", *words]
    with (server.folder / "log").open("wb") as log:
        return subprocess.Popen(
            words,
            user=whose.user,
            group=whose.group,
            extra_groups=whose.groups,
            cwd=server.folder,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )


def _await_ready(server: PostgresServer, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + _START_SECONDS
    while True:
        try:
            server.execute("SELECT 1")
        except psycopg.OperationalError:
            said = (server.folder / "log").read_text(encoding="utf-8", errors="replace")
            assert process.poll() is None, said
            assert time.monotonic() < until, said
            time.sleep(_LOOK_SECONDS)
        else:
            return


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGQUIT)  # at once: nobody needs what it would write down
    process.wait(_STOP_SECONDS)
