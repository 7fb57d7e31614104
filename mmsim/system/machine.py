"""What a result was computed or measured on: processor, system and versions."""

import os
import platform
from typing import Any
from zlib import ZLIB_RUNTIME_VERSION

from mmsim import __version__

_PACKAGES = ("numba", "llvmlite", "numpy", "polars")


def machine() -> dict[str, Any]:
    from importlib.metadata import version  # slow to import

    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "versions": {
            "mmsim": __version__,
            **{package: version(package) for package in _PACKAGES},
            "zlib": ZLIB_RUNTIME_VERSION,
        },
    }


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            names = [line.partition(":")[2].strip() for line in file if line.startswith("model name")]
    except OSError:
        names = []
    return names[0] if names else platform.processor() or "unknown"
