"""What may be uploaded from this machine, and every way out of the folder that is closed."""

import os
import socket
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

import handrail.appwrite.files_on_disk as room
from handrail.appwrite.catalog import Catalog
from handrail.appwrite.files import file_part
from handrail.appwrite.files_on_disk import (
    FileChangedError,
    StoredFile,
    UploadRefusedError,
    UploadRootError,
    UploadRoots,
    UploadsOffError,
)
from handrail.appwrite.plan import FilePart, MultipartBody, RequestPlan
from handrail.appwrite.planner import plan_request
from handrail.appwrite.send_errors import AnswerLostError
from handrail.appwrite.transport import Transport
from handrail.appwrite.uploads import send_plan
from handrail.errors import ArgumentError
from handrail.json_types import JsonObject
from handrail.sandbox import Sandbox

SECRET = b"secret-canary"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder to upload from, with a secret beside it."""
    folder = tmp_path / "uploads"
    (folder / "deep" / "er").mkdir(parents=True)
    (folder / "a.txt").write_bytes(b"hello")
    (folder / "deep" / "er" / "b.txt").write_bytes(b"deep")
    (tmp_path / "uploads-evil").mkdir()
    for outside in (tmp_path / "secret", tmp_path / "uploads-evil" / "secret"):
        outside.write_bytes(SECRET)
    return folder


def _look(root: Path, path: str, most_bytes: int = 1000) -> StoredFile:
    return UploadRoots([root], most_bytes).look_at("file", path)


@pytest.mark.parametrize(
    "path", ["a.txt", "./a.txt", "deep/../a.txt", "{root}/a.txt", "{root}/deep/er/../../a.txt", "../uploads/a.txt"]
)
def test_a_file_in_the_folder_may_be_sent_however_it_is_named(root: Path, path: str) -> None:
    found = _look(root, path.format(root=root))

    assert (found.read(), found.path, len(found)) == (b"hello", root / "a.txt", 5)
    assert (found.shown["path"], found.shown["bytes"]) == (str(root / "a.txt"), 5)


def test_a_file_that_was_written_anew_is_shown_as_another_one(root: Path) -> None:
    before = _look(root, "a.txt").shown

    _write_anew(root / "a.txt")

    assert _look(root, "a.txt").shown != before


def test_a_link_that_stays_inside_is_shown_as_what_it_leads_to(root: Path) -> None:
    (root / "link").symlink_to(root / "deep")

    assert _look(root, "link/er/b.txt").shown["path"] == str(root / "deep" / "er" / "b.txt")


def _traversal(_root: Path) -> str:
    return "../secret"


def _absolute(root: Path) -> str:
    return str(root.parent / "secret")


def _prefix_sibling(root: Path) -> str:
    return str(root) + "-evil/secret"


def _linked_file(root: Path) -> str:
    (root / "innocent.txt").symlink_to(root.parent / "secret")
    return "innocent.txt"


def _linked_folder(root: Path) -> str:
    (root / "innocent").symlink_to(root.parent / "uploads-evil")
    return "innocent/secret"


def _links_in_a_circle(root: Path) -> str:
    (root / "x").symlink_to(root / "y")
    (root / "y").symlink_to(root / "x")
    return "x"


def _environment(_root: Path) -> str:
    return "/proc/self/environ"


def _linked_environment(root: Path) -> str:
    (root / "env").symlink_to("/proc/self/environ")
    return "env"


def _own_descriptor(root: Path) -> str:
    (root / "fd").symlink_to("/proc/self/fd/0")
    return "fd"


def _pipe(root: Path) -> str:
    os.mkfifo(root / "pipe")
    return "pipe"


def _linked_device(root: Path) -> str:
    (root / "zero").symlink_to("/dev/zero")
    return "zero"


def _socket(root: Path) -> str:
    with socket.socket(socket.AF_UNIX) as server:
        here = Path.cwd()
        os.chdir(root)  # the name of a socket has to be short
        try:
            server.bind("socket")
        finally:
            os.chdir(here)
    return "socket"


def _hidden(root: Path) -> str:
    (root / ".env").write_bytes(SECRET)
    return ".env"


def _in_hidden_folder(root: Path) -> str:
    (root / ".ssh").mkdir()
    (root / ".ssh" / "id").write_bytes(SECRET)
    return ".ssh/id"


def _link_to_hidden(root: Path) -> str:
    _in_hidden_folder(root)
    (root / "plain").symlink_to(root / ".ssh" / "id")
    return "plain"


def _folder(_root: Path) -> str:
    return "deep"


def _root_itself(_root: Path) -> str:
    return "."


def _not_there(_root: Path) -> str:
    return "gone.txt"


def _below_a_file(_root: Path) -> str:
    return "a.txt/b"


def _too_large(root: Path) -> str:
    (root / "large").write_bytes(b"x" * 1001)
    return "large"


def _of_a_user(_root: Path) -> str:
    return "~/.ssh/id_rsa"


_WAYS_OUT = [
    _traversal, _absolute, _prefix_sibling, _linked_file, _linked_folder, _links_in_a_circle, _environment,
    _linked_environment, _own_descriptor, _pipe, _linked_device, _socket, _hidden, _in_hidden_folder, _link_to_hidden,
    _folder, _root_itself, _not_there, _below_a_file, _too_large, _of_a_user,
]  # fmt: skip


@pytest.mark.promise("uploads-stay-inside")
@pytest.mark.parametrize("way", _WAYS_OUT)
def test_every_way_out_of_the_folder_is_closed(root: Path, way: Callable[[Path], str]) -> None:
    path = way(root)

    with pytest.raises(UploadRefusedError) as caught:
        _look(root, path)

    assert (caught.value.data["path"], bool(caught.value.next_step)) == (path, True)


def test_what_is_outside_is_refused_alike_whether_it_is_there_or_not(root: Path) -> None:
    reasons = []
    for path in ("../secret", "../nothing", "/etc/passwd", "/etc/nothing"):
        with pytest.raises(UploadRefusedError) as caught:
            _look(root, path)
        reasons.append(caught.value.data["reason"])

    assert len(set(reasons)) == 1


@pytest.mark.parametrize("path", ["", "a\0b", "a\nb", "\ud800", "x" * 5000])
def test_what_cannot_be_a_path_is_refused(root: Path, path: str) -> None:
    with pytest.raises(ArgumentError):
        _look(root, path)


@pytest.mark.promise("uploads-stay-inside")
@given(st.lists(st.sampled_from(["..", ".", "deep", "er", "a.txt", "out", "secret", "uploads-evil", ""]), max_size=8))
def test_no_path_at_all_leads_outside(tmp_path_factory: pytest.TempPathFactory, parts: list[str]) -> None:
    place = tmp_path_factory.getbasetemp() / "maze"
    root = place / "uploads"
    if not root.exists():
        (root / "deep" / "er").mkdir(parents=True)
        (place / "secret").write_bytes(SECRET)
        (root / "a.txt").write_bytes(b"hello")
        (root / "deep" / "er" / "out").symlink_to("../../..")
    try:
        found = _look(root, "/".join(parts) or "a.txt")
    except UploadRefusedError:
        return

    assert found.read() == b"hello"


def _swap(place: Path, target: Path) -> None:
    place.rename(place.with_name("moved"))
    place.symlink_to(target)


@pytest.mark.promise("uploads-stay-inside")
@pytest.mark.parametrize("what", ["a.txt", "deep", "deep/er"])
def test_a_link_that_is_put_there_after_the_look_is_not_followed(root: Path, what: str) -> None:
    found = _look(root, "a.txt" if what == "a.txt" else "deep/er/b.txt")
    outside = root.parent / "uploads-evil"
    (outside / "er").mkdir()
    for name in ("b.txt", "er/b.txt"):
        (outside / name).write_bytes(SECRET)

    _swap(root / what, root.parent / "secret" if what == "a.txt" else outside)

    with pytest.raises(FileChangedError):
        found.read()


@pytest.mark.promise("uploads-stay-inside")
@pytest.mark.parametrize("what", ["a.txt", "deep"])
def test_a_link_that_is_put_there_while_it_is_looked_at_is_not_followed(
    root: Path, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root.parent / "uploads-evil" / "er").mkdir()
    (root.parent / "uploads-evil" / "er" / "b.txt").write_bytes(SECRET)
    resolved = room._resolved

    def resolve_then_swap(path: Path) -> Path | None:
        found = resolved(path)
        _swap(root / what, root.parent / ("secret" if what == "a.txt" else "uploads-evil"))
        return found

    monkeypatch.setattr(room, "_resolved", resolve_then_swap)

    with pytest.raises(UploadRefusedError):
        _look(root, "a.txt" if what == "a.txt" else "deep/er/b.txt")


def test_a_pipe_that_takes_the_place_of_a_file_holds_nobody_up(root: Path) -> None:
    found = _look(root, "a.txt")
    (root / "a.txt").unlink()
    os.mkfifo(root / "a.txt")

    with pytest.raises(FileChangedError):
        found.read()


def _grow(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"more")


def _write_anew(path: Path) -> None:
    path.write_bytes(b"HELLO")
    os.utime(path, ns=(1, 1))


def _replace(path: Path) -> None:
    path.unlink()
    path.write_bytes(b"hello")


@pytest.mark.parametrize("change", [_grow, _write_anew, _replace, Path.unlink, lambda path: os.truncate(path, 2)])
def test_a_file_that_changed_since_it_was_looked_at_is_not_sent(root: Path, change: Callable[[Path], None]) -> None:
    found = _look(root, "a.txt")
    keeps_inode = (root / "a.txt").open("rb")  # so that a new file cannot get the same number

    with keeps_inode:
        change(root / "a.txt")
        with pytest.raises(FileChangedError):
            found.read()


def test_a_file_that_grows_while_it_is_read_is_not_sent(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pread = os.pread

    def pread_then_grow(handle: int, size: int, start: int) -> bytes:
        content = pread(handle, size, start)
        _grow(root / "a.txt")
        return content

    found = _look(root, "a.txt")
    monkeypatch.setattr(os, "pread", pread_then_grow)

    with pytest.raises(FileChangedError):
        found.read()


def test_no_descriptor_is_left_open(root: Path) -> None:
    before = psutil.Process().num_fds()
    for path in ("a.txt", "deep/er/b.txt"):
        _look(root, path).read()
    for way in (_pipe, _folder, _not_there, _too_large):
        with pytest.raises(UploadRefusedError):
            _look(root, way(root))

    assert psutil.Process().num_fds() == before


@given(st.lists(st.tuples(st.integers(-3, 12), st.integers(-3, 12)), max_size=3))
def test_a_part_of_a_file_is_the_part_of_its_bytes(
    tmp_path_factory: pytest.TempPathFactory, cuts: list[tuple[int, int]]
) -> None:
    path = tmp_path_factory.getbasetemp() / "parts" / "f"
    path.parent.mkdir(exist_ok=True)
    if not path.exists():
        path.write_bytes(b"0123456789")
    part, expected = _look(path.parent, "f"), b"0123456789"

    for start, stop in cuts:
        part, expected = part[start:stop], expected[start:stop]

    assert (part.read(), len(part)) == (expected, len(expected))


def test_without_a_folder_no_file_is_looked_at(root: Path) -> None:
    with pytest.raises(UploadsOffError):
        UploadRoots().look_at("file", str(root / "a.txt"))


def test_the_first_folder_that_has_it_counts(root: Path) -> None:
    roots = UploadRoots([root.parent / "uploads-evil", root])

    assert roots.look_at("file", "a.txt").path == root / "a.txt"


@pytest.mark.parametrize("folder", ["/", "/proc", "/proc/self", "/dev", "/sys", "{here}/nothing", "{here}/secret"])
def test_some_folders_are_none_to_send_from(root: Path, folder: str) -> None:
    with pytest.raises(UploadRootError):
        UploadRoots([Path(folder.format(here=root.parent))])


@pytest.mark.parametrize(
    ("value", "filename"), [({"path": "a.txt"}, "a.txt"), ({"path": "a.txt", "filename": "other.md"}, "other.md")]
)
def test_a_file_argument_may_be_a_path(root: Path, value: JsonObject, filename: str) -> None:
    part = file_part("file", "file", {**value}, UploadRoots([root]))

    assert (part.filename, len(part.content)) == (filename, 5)


@pytest.mark.parametrize("value", [{"path": "a.txt", "text": "x"}, {"path": 1}, {"path": "a.txt", "filename": "a\nb"}])
def test_a_path_together_with_something_else_is_refused(root: Path, value: JsonObject) -> None:
    with pytest.raises(ArgumentError):
        file_part("file", "file", {**value}, UploadRoots([root]))


def _planned(catalog: Catalog, root: Path) -> RequestPlan:
    arguments: JsonObject = {"bucket_id": "docs", "file_id": "f1", "file": {"path": "a.txt"}}
    files = UploadRoots([root], 10_000_000)
    return plan_request(catalog.get("storage_create_file"), arguments, config={}, files=files)


async def test_a_file_on_disk_arrives_as_it_is(
    transport: Transport, catalog: Catalog, sandbox: Sandbox, root: Path
) -> None:
    content = bytes(range(256)) * 25_000  # larger than one chunk
    (root / "a.txt").write_bytes(content)

    answer = await send_plan(transport, _planned(catalog, root))

    assert answer.status == 201
    read = plan_request(catalog.get("storage_get_file_download"), {"bucket_id": "docs", "file_id": "f1"}, config={})
    assert (await transport.send(read)).content == content
    assert len([record for record in sandbox.state.requests if record.method == "POST"]) == 2


async def test_a_file_that_vanished_before_it_was_sent_sends_nothing(
    transport: Transport, catalog: Catalog, sandbox: Sandbox, root: Path
) -> None:
    planned = _planned(catalog, root)
    (root / "a.txt").unlink()

    with pytest.raises(FileChangedError):
        await send_plan(transport, planned)

    assert not sandbox.state.requests


async def test_a_file_that_changes_between_two_chunks_breaks_the_upload_off(
    transport: Transport, catalog: Catalog, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "a.txt").write_bytes(b"x" * (6 * 1024 * 1024))
    send = transport.send

    async def send_then_grow(*arguments: object, **options: object) -> object:
        answer = await send(*arguments, **options)  # type: ignore[arg-type]  # as it is called
        _grow(root / "a.txt")
        return answer

    monkeypatch.setattr(transport, "send", send_then_grow)

    with pytest.raises(AnswerLostError) as caught:
        await send_plan(transport, _planned(catalog, root))

    assert "broke off" in caught.value.message


def test_a_plan_holds_no_bytes_of_a_file_on_disk(catalog: Catalog, root: Path) -> None:
    planned = _planned(catalog, root)

    assert isinstance(planned.body, MultipartBody)
    assert isinstance(planned.body.file, FilePart)
    assert not isinstance(planned.body.file.content, bytes)
