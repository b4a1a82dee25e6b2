"""Which methods a piece of documentation names."""

import pytest

from handrail.appwrite.catalog import Catalog
from handrail.appwrite.docs_labels import ToolLabeller
from handrail.appwrite.docs_names import page_names
from handrail.docs.page import Page
from handrail.docs.sections import sections_of

pytestmark = pytest.mark.unit


@pytest.fixture(scope="module")
def labeller(catalog: Catalog) -> ToolLabeller:
    return ToolLabeller(catalog)


@pytest.mark.parametrize(
    ("text", "tools"),
    [
        ("await tablesDB.createRow({ databaseId })", ("tables_db_create_row",)),
        ("tables_db.create_row('x')", ("tables_db_create_row",)),
        ("$tablesDB->createRow(databaseId: 'x')", ("tables_db_create_row",)),
        ("tablesDB.CreateRow(\n", ("tables_db_create_row",)),
        ("account.createMagicURLToken({", ("account_create_magic_url_token",)),
        ("curl -X POST https://cloud.appwrite.io/v1/storage/buckets -d x", ("storage_create_bucket",)),
        ("DELETE /v1/users/{userId}", ("users_delete",)),
        ("GET /teams/<TEAM_ID>", ("teams_get",)),
        ("appwrite users list --queries x", ("users_list",)),
        ("Call `users_get` first", ("users_get",)),
        ("users.getTogether( and cars.list( and a price list (of users)", ()),
    ],
)
def test_what_a_text_calls_requests_or_names_is_its_method(
    labeller: ToolLabeller, text: str, tools: tuple[str, ...]
) -> None:
    page = Page("/p", "P", "", "", f"```\n{text}\n```")

    assert labeller(page, sections_of(page)) == [tools]


def test_the_method_that_is_mentioned_most_comes_first_and_a_deprecated_one_last(
    labeller: ToolLabeller, catalog: Catalog
) -> None:
    old = next(method for method in catalog if method.deprecation is not None)
    page = Page("/p", "P", "", "", f"`{old.tool}` `{old.tool}` `{old.tool}` `users_get` `users_list` `users_list`")

    assert labeller(page, sections_of(page)) == [("users_list", "users_get", old.tool)]


def test_the_other_names_of_pages_are_short_plain_and_each_given_to_one_page() -> None:
    names = [name for several in page_names().values() for name in several]

    assert len(names) == len({name.lower() for name in names})
    assert all(2 < len(name) <= 80 and name == name.strip() for name in names)
    assert all(path.startswith("/docs") and not path.endswith("/") for path in page_names())
