"""The certificates of a Dask cluster with TLS: an authority of its own, and one certificate for all its machines."""

import os
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from mmsim.errors import UsageError
from mmsim.system.extras import missing_extra
from mmsim.system.files import check_private, failing_with
from mmsim.system.temporary import temporary_folder

AUTHORITY, CERTIFICATE, KEY = "ca.pem", "cert.pem", "key.pem"
_CLOCKS_DIFFER = timedelta(hours=1)  # between the machines of a cluster, at most


def make_certificates(folder: Path, days: int) -> list[Path]:
    """Write authority, certificate and key into a folder that only this user can read; returns the three files.

    The key of the authority is not kept, so nobody can make another certificate that the cluster accepts.
    """
    try:
        from cryptography import x509
        from cryptography.hazmat.primitives import hashes
        from cryptography.hazmat.primitives.asymmetric import ec
        from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
    except ImportError as error:
        raise missing_extra("certificates need", "cluster") from error

    now = datetime.now(UTC)
    authority_key, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())

    def signed(name: str, issuer: str, public_key: Any, is_authority: bool) -> bytes:
        subject, signer = (x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, text)]) for text in (name, issuer))
        certificate = (
            x509.CertificateBuilder(signer, subject, public_key, x509.random_serial_number())
            .not_valid_before(now - _CLOCKS_DIFFER)
            .not_valid_after(now + timedelta(days=days))
            .add_extension(x509.BasicConstraints(is_authority, path_length=0 if is_authority else None), critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(public_key), critical=False)
            .add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_public_key(authority_key.public_key()), critical=False
            )
        )
        return bytes(certificate.sign(authority_key, hashes.SHA256()).public_bytes(Encoding.PEM))

    contents = {
        AUTHORITY: signed("mmsim authority", "mmsim authority", authority_key.public_key(), True),
        CERTIFICATE: signed("mmsim cluster", "mmsim authority", key.public_key(), False),
        KEY: key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()),
    }
    for name in contents:
        if os.path.lexists(folder / name):
            raise UsageError(f"{folder / name} exists already; choose another folder")
    with failing_with(f"cannot write to {folder}"):
        if folder.exists():
            _write(folder, contents)
        else:  # all files or none, even if this is killed
            folder.parent.mkdir(parents=True, exist_ok=True)
            with temporary_folder(folder.parent) as base:
                _write(base / "new", contents)
                (base / "new").rename(folder)
    return [folder / name for name in contents]


def _write(folder: Path, contents: Mapping[str, bytes]) -> None:
    """Write files that only their owner can read."""
    folder.mkdir(0o700, exist_ok=True)
    check_private(folder)
    for name, content in contents.items():
        descriptor = os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
