"""`mmsim cluster`: prepare a Dask cluster."""

import shlex
from pathlib import Path
from typing import Annotated

from mmsim.batch.certificates import make_certificates
from mmsim.cli.console import say
from mmsim.cli.options import argument, option


def certificates(
    folder: Annotated[Path, argument("FOLDER", "Where to put them; only you can read what is written there.")],
    days: Annotated[int, option("--days N", "How long they are valid.", min=1, max=3650)] = 365,
) -> None:
    """Scheduler, workers and mmsim then talk to nobody who has no certificate."""
    ca, cert, key = (shlex.quote(str(file)) for file in make_certificates(folder, days))
    tls = f"--tls-ca-file {ca} --tls-cert {cert} --tls-key {key}"
    say(f"certificates for {days} days -> {folder}; whoever has {key} may use the cluster", err=True)
    say(f"dask scheduler --host tls://127.0.0.1 --port 8786 --no-dashboard {tls}")
    say(f"dask worker tls://127.0.0.1:8786 --host tls://127.0.0.1 --no-dashboard --nthreads 1 {tls}")
    say(f"mmsim run EXPERIMENT --cluster tls://127.0.0.1:8786 --tls-ca {ca} --tls-cert {cert} --tls-key {key}")
