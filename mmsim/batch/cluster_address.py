"""Where a Dask cluster is: an address that can be one, and the files of its TLS."""

import re
import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mmsim.errors import UsageError

_ADDRESS = re.compile(r"(?:(tcp|tls)://)?(\[[0-9A-Fa-f:.%]+\]|[\w.-]+):(\d{1,5})", re.ASCII)


@dataclass(frozen=True)
class Scheduler:
    """The scheduler of a cluster; without files of its own its TLS is what Dask's own configuration says."""

    address: str
    tls_ca: Path | None = None  # who has signed the certificates of the cluster
    tls_cert: Path | None = None  # our own certificate
    tls_key: Path | None = None

    def __post_init__(self) -> None:
        found = _ADDRESS.fullmatch(self.address)
        if found is None or not 0 < int(found[3]) < 1 << 16:
            raise UsageError(f"'{self.address}' is no address of a scheduler; one looks like tcp://10.0.0.1:8786")
        files = {option: getattr(self, option) for option in ("tls_ca", "tls_cert", "tls_key")}
        named = {f"--{option.replace('_', '-')}": file for option, file in files.items() if file is not None}
        if named and found[1] != "tls":
            raise UsageError(f"{next(iter(named))} is for an address like tls://10.0.0.1:8786, not '{self.address}'")
        if named and len(named) < len(files):
            raise UsageError("TLS takes three files: --tls-ca, --tls-cert and --tls-key")
        for option, file in named.items():
            if not file.is_file():
                raise UsageError(f"{option}: there is no file {file}")
        if named:
            self._check_files()

    def _check_files(self) -> None:
        try:
            ssl.create_default_context(cafile=self.tls_ca).load_cert_chain(str(self.tls_cert), self.tls_key)
        except OSError as error:  # SSLError is one
            files = f"{self.tls_ca}, {self.tls_cert} and {self.tls_key}"
            raise UsageError(f"{files} are no certificates and key for TLS: {error.strerror or error}") from error

    def __str__(self) -> str:
        return self.address

    def options(self) -> list[str]:
        """The words by which a command line names it."""
        words = ["--cluster", self.address]
        for option in ("tls_ca", "tls_cert", "tls_key"):
            if (file := getattr(self, option)) is not None:
                words += [f"--{option.replace('_', '-')}", str(file)]
        return words

    def security(self) -> Any:
        """What Dask wants to know of the TLS of a connection."""
        from distributed.security import Security

        if self.tls_ca is None:
            security = Security()
            if self.address.startswith("tls:") and not security.get_connection_args("client").get("ssl_context"):
                raise UsageError("TLS takes three files: --tls-ca, --tls-cert and --tls-key")
            return security
        return Security(
            require_encryption=True,
            tls_ca_file=str(self.tls_ca),
            tls_client_cert=str(self.tls_cert),
            tls_client_key=str(self.tls_key),
        )
