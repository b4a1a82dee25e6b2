"""The storage service, first part: buckets."""

from http import HTTPStatus

from handrail.json_types import Json, JsonObject
from handrail.sandbox.errors import ApiError, Fail
from handrail.sandbox.filters import Kind
from handrail.sandbox.routing import NO_CONTENT, Answer, Call, Route, listing, text_fields
from handrail.sandbox.state import Bucket

__all__ = ["ROUTES", "find_bucket"]

_READ, _WRITE = ("buckets.read",), ("buckets.write",)
_LARGEST_FILE = 30_000_000
_COMPRESSIONS = ("none", "gzip", "zstd")
_FIELDS = text_fields("name", "compression") | {
    "enabled": Kind.FLAG,
    "fileSecurity": Kind.FLAG,
    "encryption": Kind.FLAG,
    "antivirus": Kind.FLAG,
    "maximumFileSize": Kind.NUMBER,
}


def find_bucket(call: Call) -> Bucket:
    """The bucket of the path.

    Raises:
        ApiError: storage_bucket_not_found.
    """
    if call.ids["bucketId"] not in call.state.buckets:
        raise ApiError(Fail.BUCKET_NOT_FOUND)
    return call.state.buckets[call.ids["bucketId"]]


def _settings(call: Call, kept: JsonObject) -> JsonObject:
    """A bucket's settings as asked for, else as they were."""
    params = call.params
    permissions = params.permissions()
    largest = kept["maximumFileSize"]
    flags = ("fileSecurity", "enabled", "encryption", "antivirus", "transformations")
    return {
        "$permissions": kept["$permissions"] if permissions is None else permissions,
        "maximumFileSize": params.whole_or("maximumFileSize", int(str(largest)), 1, _LARGEST_FILE),
        "allowedFileExtensions": list[Json](params.texts("allowedFileExtensions"))
        if "allowedFileExtensions" in params
        else kept["allowedFileExtensions"],
        "compression": params.one_of("compression", _COMPRESSIONS, str(kept["compression"])),
        **{flag: params.flag_or(flag, default=kept[flag] is True) for flag in flags},
    }


_NEW_BUCKET: JsonObject = {
    "$permissions": [],
    "fileSecurity": False,
    "enabled": True,
    "maximumFileSize": _LARGEST_FILE,
    "allowedFileExtensions": [],
    "compression": "none",
    "encryption": True,
    "antivirus": True,
    "transformations": True,
}


def _create_bucket(call: Call) -> Answer:
    state = call.state
    bucket_id, name = call.params.new_id("bucketId", state.new_id), call.params.text("name")
    settings = _settings(call, _NEW_BUCKET)
    if bucket_id in state.buckets:
        raise ApiError(Fail.BUCKET_EXISTS)
    now = state.stamp()
    # The real one counts `totalSize` in the background; the recorded answers show 0 throughout.
    doc: JsonObject = {
        "$id": bucket_id,
        "$createdAt": now,
        "$updatedAt": now,
        "name": name,
        **settings,
        "totalSize": 0,
    }
    state.buckets[bucket_id] = Bucket(doc)
    return Answer(doc, HTTPStatus.CREATED)


def _list_buckets(call: Call) -> Answer:
    return listing(call, "buckets", (bucket.doc for bucket in call.state.buckets.values()), _FIELDS, "Bucket")


def _get_bucket(call: Call) -> Answer:
    return Answer(find_bucket(call).doc)


def _update_bucket(call: Call) -> Answer:
    doc, name = find_bucket(call).doc, call.params.text("name")
    doc.update({**_settings(call, doc), "name": name, "$updatedAt": call.state.stamp()})
    return Answer(doc)


def _delete_bucket(call: Call) -> Answer:
    find_bucket(call)
    del call.state.buckets[call.ids["bucketId"]]
    return NO_CONTENT


_BUCKETS = "/storage/buckets"
ROUTES = (
    Route("POST", _BUCKETS, _WRITE, _create_bucket),
    Route("GET", _BUCKETS, _READ, _list_buckets),
    Route("GET", f"{_BUCKETS}/{{bucketId}}", _READ, _get_bucket),
    Route("PUT", f"{_BUCKETS}/{{bucketId}}", _WRITE, _update_bucket),
    Route("DELETE", f"{_BUCKETS}/{{bucketId}}", _WRITE, _delete_bucket),
)
