"""The build backend: hatchling, plus Numba for wheels; an editable install needs no Numba."""

from typing import Any

from hatchling import build
from hatchling.build import *  # noqa: F403


def get_requires_for_build_wheel(config_settings: dict[str, Any] | None = None) -> list[str]:
    """Numba compiles the libraries that a wheel ships."""
    return [*build.get_requires_for_build_wheel(config_settings), "numba>=0.68"]
