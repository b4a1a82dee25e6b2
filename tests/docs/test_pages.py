"""Pages and their sections."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.docs.page import Page, linked_paths, read_page, site_path
from handrail.docs.sections import MOST_SECTION_BYTES, sections_of

pytestmark = pytest.mark.unit


def _page(body: str, title: str = "T") -> Page:
    return Page("/t", title, "", "", body)


def test_a_page_is_called_and_placed_by_its_front_matter() -> None:
    page = read_page('---\ntitle: "A \\"b\\""\ndescription: C\npath: /x/y\n---\nText', "z.md", site="https://h/")

    assert page is not None
    assert (page.title, page.description, page.path, page.link) == ('A "b"', "C", "/x/y", "https://h/x/y")


def test_a_page_without_front_matter_is_called_by_its_first_heading_and_placed_by_its_file() -> None:
    page = read_page("Hello\n\n# A `title`\n", "a/b-c/index.md")

    assert page is not None
    assert (page.title, page.path, page.link) == ("A title", "/a/b-c", "")


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("site-main/src/routes/docs/auth/+page.markdoc", "/docs/auth"),
        ("src/routes/(group)/docs/+page.markdoc", "/docs"),
        ("guide/README.md", "/guide"),
        ("a.b.md", "/a.b"),
    ],
)
def test_a_file_has_the_path_that_a_site_gives_it(name: str, path: str) -> None:
    assert site_path(name) == path


@pytest.mark.parametrize("text", ["", "  \n", "---\ntitle: x\n---\n", "<!DOCTYPE html><html>", " <html lang='en'>"])
def test_what_is_empty_or_a_web_page_is_no_page(text: str) -> None:
    assert read_page(text, "a.md") is None


def test_links_to_the_own_site_are_seen_with_and_without_its_host() -> None:
    page = _page("[a](/x/y#z) [b](https://h/q.md) ![c](https://h/i.png) [d](mailto:x)")

    assert [*linked_paths(page)] == ["/x/y", "/q", "/i.png"]


def test_sections_are_cut_at_headings_and_know_those_above_them() -> None:
    page = _page("top\n\n# One {% #first %}\n\na\n\n## Two words!\n\nb\n\n# Three\n\nc\n\n##### deep\n\nd")

    found = [(section.headings, section.anchor, section.text) for section in sections_of(page)]

    assert found == [
        ((), "", "top"),
        (("One",), "first", "a"),
        (("One", "Two words!"), "two-words", "b"),
        (("Three",), "three", "c\n\ndeep\n\nd"),
    ]


def test_tags_of_markdoc_are_read_away_but_for_their_titles_and_code_is_left_alone() -> None:
    (section,) = sections_of(
        _page('{% info title="Mind" %}\nGap {% badge %}\n{% /info %}\n```js\n{% x %}\n# no heading\n```')
    )

    assert section.text == "**Mind**\nGap\n\n```js\n{% x %}\n# no heading\n```"


def test_of_samples_in_several_languages_the_first_is_shown_and_all_are_searched() -> None:
    body = "Do\n\n```server-nodejs\njs()\n```\n\n```server-python\npy()\n```\n```rust\nrs()\n```\n\n```bash\nsh\n```"
    (section,) = sections_of(_page(body))

    assert "js()" in section.text
    assert "sh" in section.text
    assert "py()" not in section.text
    assert {"py()", "rs()"} <= {*section.source.split("\n")}


def test_prose_is_encoded_in_windows_under_the_title_and_its_headings_without_marks_and_addresses() -> None:
    words = " ".join(f"w{number}" for number in range(200))
    windows = sections_of(_page(f"# H\n\n**Bold** [link](/x) {words}"))[0].windows

    assert windows[0].startswith("T. H. Bold link w0 w1")
    assert len(windows) == 3
    assert all(window.startswith("T. H. ") for window in windows)


@given(st.text(alphabet=st.sampled_from("ab #`~\n|*é😀-{%}"), max_size=6000))
def test_no_section_is_larger_than_it_may_be_and_none_is_empty(body: str) -> None:
    for section in sections_of(_page(body)):
        assert 0 < len(section.text.encode()) <= MOST_SECTION_BYTES
        assert section.text.strip()
        assert section.windows


@given(st.lists(st.text(alphabet="abc ", min_size=1, max_size=30), min_size=1, max_size=300))
def test_every_word_of_a_page_is_in_one_of_its_sections(lines: list[str]) -> None:
    sections = sections_of(_page("\n\n".join(lines)))

    assert " ".join(section.text for section in sections).split() == " ".join(lines).split()


def test_a_long_line_and_a_long_piece_of_code_are_cut_within_the_bound() -> None:
    sections = sections_of(_page("é" * 4000 + "\n\n```py\n" + "x = 1\n" * 1000 + "```"))

    assert all(len(section.text.encode()) <= MOST_SECTION_BYTES for section in sections)
    assert sum(section.text.count("é") for section in sections) == 4000
    assert sum(section.text.count("x = 1") for section in sections) == 1000
