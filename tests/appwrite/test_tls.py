"""A certificate of one's own: refused, unless a setting says otherwise, and then for one host only."""

from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import anyio
import anyio.abc
import pytest
from anyio.streams.tls import TLSListener

from handrail.appwrite.backend import Backend
from handrail.appwrite.send_errors import CertificateError
from handrail.appwrite.tls import Tls
from handrail.appwrite.transport import Limits, open_transport
from tests.appwrite.certificates import server_context, write_certificate
from tests.appwrite.samples import plan


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A certificate of 127.0.0.1."""
    return write_certificate(tmp_path)


@pytest.fixture
async def endpoint(certificate: Path) -> AsyncIterator[str]:
    """A server that shows it."""

    async def answer(stream: anyio.abc.ByteStream) -> None:
        with suppress(anyio.EndOfStream, anyio.BrokenResourceError):
            async with stream:
                await stream.receive()
                await stream.send(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}")

    async def forget(_error: BaseException, stream: anyio.abc.AnyByteStream) -> None:
        await anyio.aclose_forcefully(stream)

    listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
    port = listener.extra(anyio.abc.SocketAttribute.local_port)
    served = TLSListener(listener, server_context(certificate), standard_compatible=False)
    served.handle_handshake_error = forget  # type: ignore[method-assign,assignment]  # else it is logged as an error
    async with served, anyio.create_task_group() as group:
        group.start_soon(served.serve, answer)
        yield f"https://127.0.0.1:{port}/v1"
        group.cancel_scope.cancel()


async def _status(endpoint: str, tls: Tls | None) -> int:
    with anyio.fail_after(10):
        async with open_transport(Backend(endpoint, "p", "a-key-of-a-test"), Limits(connect_s=5), tls=tls) as transport:
            return (await transport.send(plan())).status


async def test_a_certificate_that_nobody_signed_is_refused_with_what_mends_it(endpoint: str) -> None:
    with pytest.raises(CertificateError) as caught:
        await _status(endpoint, None)

    assert (caught.value.may_pass, "HANDRAIL_TLS_CA" in str(caught.value.next_step)) == (False, True)


async def test_a_certificate_in_the_file_of_trusted_ones_is_accepted(endpoint: str, certificate: Path) -> None:
    assert await _status(endpoint, Tls(certificate)) == 200


async def test_the_endpoint_of_the_setting_need_not_show_a_certificate_that_is_trusted(endpoint: str) -> None:
    assert await _status(endpoint, Tls.of(None, insecure=True, endpoint=endpoint)) == 200


async def test_no_other_host_is_meant_by_that_setting(endpoint: str) -> None:
    with pytest.raises(CertificateError):
        await _status(endpoint, Tls.of(None, insecure=True, endpoint="https://appwrite.test/v1"))


@pytest.mark.parametrize("content", [None, b"", b"no certificate"])
async def test_a_file_without_certificates_means_that_nothing_was_sent(
    endpoint: str, tmp_path: Path, content: bytes | None
) -> None:
    path = tmp_path / "ca.pem"
    if content is not None:
        path.write_bytes(content)

    with pytest.raises(CertificateError) as caught:
        await _status(endpoint, Tls(path))

    assert str(path) in caught.value.message


def test_who_switches_the_check_off_is_warned_of_the_host() -> None:
    tls = Tls.of(None, insecure=True, endpoint="https://appwrite.test:8443/v1")

    assert tls.warning is not None
    assert "appwrite.test " in tls.warning
    assert Tls.of(None, insecure=False, endpoint="https://appwrite.test/v1").warning is None
