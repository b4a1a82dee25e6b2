"""Every method whose risks say that it gives secrets, against what is masked of its model."""

import re
from importlib.util import find_spec
from pathlib import Path

from handrail.appwrite.catalog import Catalog
from handrail.appwrite.evidence import judge
from handrail.appwrite.results.secret_names import secret_names
from handrail.hints import Risk

Models = dict[str, list[tuple[str, str]]]

# Each was looked at. What is secret in them is known by its company or its shape, or there is nothing.
WITHOUT_A_SECRET_NAME = {
    "",  # no model: the answer of GraphQL is judged as it comes, a redirect is an address
    "MfaChallenge",  # its code goes to the user only
    "MfaChallengeSecret",  # `code`, known by its company
    "PasskeyChallenge",  # public by nature
    "Oauth2Approve",  # `code=` in an address
    "Oauth2Authorize",  # likewise
    "Membership",  # the secret is in the arguments
    "DetectionRuntime | DetectionFramework",  # `variables` of `.env` files, known by their company
    "ProviderRepositoryRuntimeList | ProviderRepositoryFrameworkList",  # likewise
}


def test_every_method_that_gives_secrets_has_them_masked(catalog: Catalog) -> None:
    models = _models()
    methods = [method for method in catalog if Risk.SECRET in judge(method).risks]

    assert len(methods) > 100
    unmasked = {
        method.returns
        for method in methods
        if not any(_names_a_secret(models, name, frozenset()) for name in re.findall(r"\w+", method.returns))
    }
    assert unmasked - WITHOUT_A_SECRET_NAME == set()


def _names_a_secret(models: Models, name: str, seen: frozenset[str]) -> bool:
    if name in seen:
        return False
    around = seen | {name}
    for kind, field in models.get(name, []):
        if secret_names().is_secret(field):
            return True
        if any(_names_a_secret(models, inner, around) for inner in re.findall(r"\w+", kind) if inner in models):
            return True
    return False


def _models() -> Models:
    """Type and wire name of every field of the SDKs' models."""
    models: Models = {}
    for sdk in ("appwrite", "appwrite_console"):
        spec = find_spec(sdk)
        assert spec is not None
        assert spec.origin is not None
        for path in (Path(spec.origin).parent / "models").glob("*.py"):
            text = path.read_text(encoding="utf-8")
            for found in re.finditer(r"class (\w+)\(.*?\):(.*?)(?=\nclass |\Z)", text, re.DOTALL):
                fields = re.findall(r"    \w+: (.+?) = Field\(.*alias='([^']+)'", found[2])
                models.setdefault(found[1], []).extend(fields)
    return models
