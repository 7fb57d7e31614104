"""The build backend: hatchling, plus what compiles the libraries of a wheel; an editable install needs none of that."""

from typing import Any

from hatchling import build

# Numba in the version that links a library (mmsim/compiled/execution_mode.py), as long as it supports the Python.
COMPILER = (
    "msgspec>=0.19",
    "numba>=0.68,<0.69; python_version < '3.16'",
    "numba>=0.68; python_version >= '3.16'",
)


def get_requires_for_build_wheel(config_settings: dict[str, Any] | None = None) -> list[str]:
    return [*build.get_requires_for_build_wheel(config_settings), *COMPILER]


def __getattr__(name: str) -> Any:
    """Every other hook of a build backend is that of hatchling."""
    return getattr(build, name)
