"""Which certificates are trusted beside the ones that everybody trusts. Only a setting says so, never a call."""

import ssl
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from handrail.appwrite.send_errors import CertificateError

__all__ = ["Tls"]


@dataclass(frozen=True, slots=True)
class Tls:
    """What is trusted.

    Attributes:
        ca_file: certificates in PEM that are trusted too, such as those of an Appwrite of one's own.
        insecure_host: the one host whose certificate is not looked at, whatever it is; None for no host.
    """

    ca_file: Path | None = None
    insecure_host: str | None = None

    @classmethod
    def of(cls, ca_file: Path | None, *, insecure: bool, endpoint: str) -> "Tls":
        """What settings say.

        Args:
            ca_file: see `Tls`.
            insecure: whether the certificate of the endpoint is not looked at. No other host is meant by it.
            endpoint: as in `APPWRITE_ENDPOINT`.
        """
        return cls(ca_file, _host(endpoint) if insecure else None)

    @property
    def warning(self) -> str | None:
        """What a person should be told at the start, or None."""
        if self.insecure_host is None:
            return None
        return (
            f"The certificate of {self.insecure_host} is not looked at (HANDRAIL_TLS_INSECURE): whoever is between you "
            "and it can read and change everything, the API key included. HANDRAIL_TLS_CA is the safe way."
        )

    def context_for(self, endpoint: str) -> ssl.SSLContext | bool:
        """What a client of this endpoint is to check certificates with; True: as everybody does.

        Raises:
            CertificateError: the file cannot be read, or holds no certificate.
        """
        if self.insecure_host is not None and _host(endpoint) == self.insecure_host:
            context = ssl.create_default_context()
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
            return context
        return True if self.ca_file is None else _trusting(self.ca_file, endpoint)


def _trusting(ca_file: Path, endpoint: str) -> ssl.SSLContext:
    from httpx2 import create_ssl_context  # noqa: PLC0415  (not needed to start a server)

    context = create_ssl_context()
    try:
        context.load_verify_locations(cafile=ca_file)
    except OSError as error:  # an SSLError is one, too
        raise CertificateError(
            f"The certificates in {ca_file} cannot be used; nothing was sent.",
            next_step="Set HANDRAIL_TLS_CA to a file that holds certificates in PEM, or unset it.",
            endpoint=endpoint,
            cause=type(error).__name__,
        ) from error
    return context


def _host(endpoint: str) -> str | None:
    try:
        return urlsplit(endpoint).hostname
    except ValueError:
        return None
