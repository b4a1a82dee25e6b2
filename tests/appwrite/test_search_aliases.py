"""The phrases of the package, and the vectors that it comes with."""

import tomllib
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from handrail.appwrite.catalog import Catalog
from handrail.appwrite.search.aliases import alias_files, aliases_of, read_aliases
from handrail.appwrite.search.meaning import Meaning, built_vectors, text_key, vectors_as_tensors
from handrail.appwrite.search.texts import Text, texts_of
from handrail.encoder import load_encoder

pytestmark = pytest.mark.unit


@pytest.fixture(scope="session")
def texts(catalog: Catalog) -> list[Text]:
    methods = [*catalog]
    return [*texts_of(methods, aliases_of(methods, read_aliases()))]


def test_every_phrase_belongs_to_a_method_that_exists(catalog: Catalog) -> None:
    methods = [*catalog]

    for service, named in read_aliases().items():
        for name in named:
            assert any(aliases_of(methods, {service: {name: ["x"]}})), f"{service}: {name}"


@pytest.mark.parametrize(("service", "text"), alias_files().items(), ids=lambda value: value[:20])
def test_a_file_of_phrases_begins_with_what_it_is_about_and_repeats_nothing(service: str, text: str) -> None:
    phrases = [phrase for said in tomllib.loads(text).values() for phrase in said]

    assert text.startswith("# "), service
    assert len(phrases) == len(set(phrases))
    assert all(phrase.strip() == phrase and 1 <= len(phrase.split()) <= 16 for phrase in phrases)


def test_nearly_every_method_that_is_not_deprecated_has_a_phrase(catalog: Catalog) -> None:
    methods = [method for method in catalog if method.deprecation is None]

    without = [
        method.tool for method, said in zip(methods, aliases_of(methods, read_aliases()), strict=True) if not said
    ]

    assert len(without) <= len(methods) * 0.04, without


def test_a_star_stands_for_many_methods_and_its_hole_for_what_it_was(catalog: Catalog) -> None:
    methods = [catalog.get("messaging_create_twilio_provider"), catalog.get("messaging_create_topic")]

    said = aliases_of(methods, {"messaging": {"create_*_provider": ["send through {}"]}})

    assert said == [["send through twilio"], []]


def test_every_text_has_a_vector_that_came_with_the_package(texts: list[Text]) -> None:
    built = {*built_vectors()["keys"].tolist()}

    missing = [text.text for text in texts if text_key(text.text) not in built]

    assert not missing, "run scripts/make_search_vectors.py"


def test_the_vectors_of_the_package_are_those_of_the_encoder(texts: list[Text]) -> None:
    some = sorted({text.text for text in texts})[::150]
    built = built_vectors()
    places = np.searchsorted(built["keys"].astype(np.int64), [text_key(text) for text in some])

    kept = built["rows"][places].astype(np.float32) * built["scales"][places].astype(np.float32)[:, None]

    assert np.min(np.sum(kept * load_encoder().encode(some), axis=1)) > 0.999
    assert all(one < two for one, two in pairwise(built["keys"].tolist()))


def test_a_text_that_is_new_is_encoded_when_it_is_met(texts: list[Text]) -> None:
    encoder = load_encoder()
    few = texts[:40]
    new = [*few[:-1], replace(few[-1], text="count the whales in the harbour")]
    meaning = Meaning(encoder, new, vectors_as_tensors(encoder, [text.text for text in few]))

    (near,) = meaning.nearest(["how many whales are there"])

    assert int(near.scores.argmax()) == few[-1].method
    assert new[near.text(few[-1].method)].text == "count the whales in the harbour"
