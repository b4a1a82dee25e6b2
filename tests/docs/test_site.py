"""Sites that give their pages, and sites that do anything else."""

import gzip
from pathlib import Path

import anyio
import pytest

from handrail.docs import DocsIndex
from handrail.docs.errors import DocsSourceError
from handrail.docs.llms import listed_pages, page_link
from handrail.docs.site import SiteRules, list_address
from handrail.docs.sync import SyncRequest
from tests.docs.pages import PAGES
from tests.docs.syncs import RULES, build
from tests.docs.web_site import Reply, WebSite

_GUIDE = "/guide/boats.md"


@pytest.mark.parametrize(
    "source",
    [
        "http://example.com/llms.txt",
        "http://127.0.0.1.evil.invalid/llms.txt",
        "ftp://example.com/llms.txt",
        "https://user:secret@example.com/llms.txt",
        "https://",
        "https://example.com:99999/llms.txt",
        "https://[::1/llms.txt",
        "file:///etc/passwd",
    ],
)
def test_only_https_is_asked_and_nothing_with_a_password(source: str) -> None:
    with pytest.raises(DocsSourceError) as told:
        list_address(source, SiteRules(loopback_http=True))
    assert "secret" not in str(told.value.as_json())


def test_http_on_this_machine_needs_to_be_asked_for() -> None:
    with pytest.raises(DocsSourceError):
        list_address("http://127.0.0.1:8000", SiteRules())
    assert list_address("http://127.0.0.1:8000", SiteRules(loopback_http=True)) == "http://127.0.0.1:8000/llms.txt"


def test_a_list_names_the_pages_of_its_own_site_as_markdown() -> None:
    text = (
        "[a](/docs/a) [b](https://h/docs/b.md#x) [again](docs/../docs/a.md) [pic](/x.png) [other](https://o/docs/c)"
        " [mail](mailto:a@h) [broken](https://[/) [plain](http://h/docs/d) [root](https://h/)"
    )

    assert [*listed_pages(text, "https://h/llms.txt")] == [
        "https://h/docs/a.md",
        "https://h/docs/b.md",
        "https://h/index.md",
    ]
    assert page_link("https://h/docs/a.md") == "https://h/docs/a"


async def test_the_pages_that_a_site_lists_are_indexed_with_their_addresses(site: WebSite, place: Path) -> None:
    report = await build(place, site.address)

    hits = DocsIndex(place).search("rowing boat", None, limit=1)
    assert (report.pages, report.failed, report.left_out) == (4, {}, {})
    assert hits[0].link == f"{site.address}/guide/boats"
    assert all(path == "/llms.txt" or path.lstrip("/") in PAGES for path in site.paths())


async def test_what_has_not_changed_is_not_sent_again(site: WebSite, place: Path) -> None:
    await build(place, site.address)
    site.put(_GUIDE, "---\ntitle: Boats\n---\nCanoes now.", etag='"new"')
    site.asked.clear()

    await build(place, site.address)

    marks = {path: headers.get("if-none-match") for path, headers in site.asked}
    assert marks[_GUIDE] == f'"{len(PAGES["guide/boats.md"])}"'
    assert DocsIndex(place).search("canoes", None, limit=1)[0].path == "/guide/boats"
    assert DocsIndex(place).search("siren", None, limit=1)[0].path == "/guide/weather"


@pytest.mark.promise("docs-index-is-kept")
@pytest.mark.parametrize(
    "reply",
    [
        Reply(b"<!doctype html><p>Sign in", headers={"content-type": "text/html"}),
        Reply(b"<html><body>markdown, honestly", headers={"content-type": "text/plain"}),
        Reply(b"gone", 404),
        Reply(b"oops", 500),
        Reply(b"", 302, {"location": "https://elsewhere.invalid/llms.txt"}),
        Reply(b"", 301, {"location": "/llms.txt"}),
        Reply(b"", 307, {}),
        Reply(b"short", length=5000),
        Reply(b"begins", length=5000, hangs=True),
        Reply(b"", length=0),
        Reply(b"no links in here"),
        Reply(gzip.compress(bytes(50_000_000)), headers={"content-type": "text/plain", "content-encoding": "gzip"}),
        Reply(b"not packed", headers={"content-type": "text/plain", "content-encoding": "gzip"}),
        Reply(gzip.compress(b"[a](/a.md)")[:-6], headers={"content-type": "text/plain", "content-encoding": "gzip"}),
        Reply(b"x", headers={"content-type": "text/plain", "content-encoding": "br"}),
        Reply(b"x", headers={"content-type": "image/png"}),
    ],
    ids=lambda reply: f"{reply.status}-{reply.body[:12]!r}-{sorted(reply.headers.values())}",
)
async def test_a_list_that_does_not_come_is_told_and_the_old_index_is_kept(
    site: WebSite, place: Path, reply: Reply
) -> None:
    await build(place, site.address)
    site.replies["/llms.txt"] = reply

    with anyio.fail_after(8), pytest.raises(DocsSourceError) as told:
        await build(place, site.address)

    assert told.value.next_step
    assert DocsIndex(place).search("rowing boat", None, limit=1)[0].path == "/guide/boats"


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Reply(b"<html>", headers={"content-type": "text/html"}), "text/html"),
        (Reply(b"<!doctype html><title>x"), "web page"),
        (Reply(b"", 404), "404"),
        (Reply(b"", 302, {"location": "https://elsewhere.invalid/"}), "another site"),
        (Reply(b"x" * (2 * 1024 * 1024 + 1)), "more than"),
    ],
)
async def test_a_page_that_is_none_is_left_out_and_told(site: WebSite, place: Path, reply: Reply, reason: str) -> None:
    site.replies[_GUIDE] = reply

    report = await build(place, site.address)

    assert report.pages == 3
    assert reason in report.left_out[f"{site.address}{_GUIDE}"]


async def test_a_redirect_within_the_site_is_followed(site: WebSite, place: Path) -> None:
    site.replies["/moved.md"] = site.replies[_GUIDE]
    site.replies[_GUIDE] = Reply(b"", 301, {"location": "/moved.md"})

    assert (await build(place, site.address)).pages == 4


@pytest.mark.parametrize(
    "reply",
    [Reply(b"", 503), Reply(b"part", length=100), Reply(b"", length=100, hangs=True)],
    ids=["503", "cut", "stall"],
)
async def test_a_page_that_does_not_come_now_is_asked_for_twice_and_its_kept_copy_used(
    site: WebSite, place: Path, reply: Reply
) -> None:
    await build(place, site.address)
    site.replies[_GUIDE] = reply
    site.asked.clear()

    report = await build(place, site.address)

    assert (report.pages, [*report.failed]) == (4, [f"{site.address}{_GUIDE}"])
    assert site.paths().count(_GUIDE) == 2
    assert DocsIndex(place).search("rowing boat", None, limit=1)[0].path == "/guide/boats"


@pytest.mark.promise("docs-sync-resumes")
async def test_a_sync_that_broke_off_goes_on_where_it_was(site: WebSite, place: Path) -> None:
    good = dict(site.replies)
    for path in ("/guide/keys.md", "/guide/weather.md"):
        site.replies[path] = Reply(b"", 503)
    with pytest.raises(DocsSourceError, match="gave only 2 of 4 pages"):
        await build(place, site.address)
    site.replies.update(good)
    site.asked.clear()

    report = await build(place, site.address)

    asked_anew = {path for path, headers in site.asked if "if-none-match" not in headers}
    assert asked_anew == {"/llms.txt", "/guide/keys.md", "/guide/weather.md"}
    assert report.pages == 4


async def test_a_site_that_is_down_is_not_asked_for_every_page(site: WebSite, place: Path) -> None:
    site.put("/llms.txt", "\n".join(f"[{number}](/{number}.md)" for number in range(200)))
    for number in range(200):
        site.replies[f"/{number}.md"] = Reply(b"", 500)

    with pytest.raises(DocsSourceError, match="500"):
        await build(place, site.address)

    assert len(site.asked) < 60


async def test_most_pages_gone_is_not_the_site_that_was_meant(site: WebSite, place: Path) -> None:
    for name in [*PAGES][:3]:
        site.replies[f"/{name}"] = Reply(b"", 404)

    with pytest.raises(DocsSourceError, match="not there as Markdown"):
        await build(place, site.address)


async def test_a_site_has_its_time(site: WebSite, place: Path) -> None:
    site.replies[_GUIDE] = Reply(b"", length=100, hangs=True)
    slow = SiteRules(loopback_http=True, read_s=30, document_s=30, whole_s=0.3)

    with anyio.fail_after(5), pytest.raises(DocsSourceError, match="longer than"):
        await build(place, site.address, rules=slow)


async def test_only_the_wanted_part_of_a_site_is_indexed(site: WebSite, place: Path) -> None:
    report = await build(place, site.address, request=SyncRequest("", under="/guide/keys", rules=RULES))

    assert report.pages == 1
