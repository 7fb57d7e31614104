"""Where the files that travel with the package live: inside the wheel, or beside it in a checkout."""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent.parent


def data_folder(name: str) -> Path:
    """The folder `boards`, `experiments` or `docs/rules`, wherever this copy of mmsim keeps it."""
    shipped = _PACKAGE / "data" / name
    return shipped if shipped.is_dir() else _PACKAGE.parent / name
