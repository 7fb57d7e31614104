"""Puts the compiled code of all games into the wheel, if it can be built; the wheel is then for one platform."""

import os
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_OBSTACLE = "from mmsim.compiled import execution_mode; print(execution_mode.library_obstacle())"


class Libraries(BuildHookInterface[Any]):
    """A build hook; without a C compiler, or on another platform, the wheel stays pure Python."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version != "standard":  # an editable install builds them when they are first needed
            return
        self._folder = TemporaryDirectory()
        env = {key: value for key, value in os.environ.items() if not key.startswith("MMSIM_") or "CACHE" in key}
        env["PYTHONPATH"] = os.pathsep.join((self.root, *filter(None, [env.get("PYTHONPATH")])))
        subprocess.run([sys.executable, "-m", "mmsim.compiled", self._folder.name], env=env, cwd=self.root, check=True)
        folders = sorted(Path(self._folder.name).iterdir())
        if folders:
            build_data["force_include"].update({str(path): f"mmsim/compiled/shipped/{path.name}" for path in folders})
            build_data["pure_python"] = False
            build_data["tag"] = f"py3-none-{_platform_tag(folders)}"
        else:
            reason = subprocess.run(
                [sys.executable, "-c", _OBSTACLE], env=env, cwd=self.root, capture_output=True, text=True
            )
            self.app.display_warning(
                f"This wheel has no compiled code ({reason.stdout.strip()}): where it is installed, Numba compiles "
                "a game when it is first played, once, for two to six minutes."
            )

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if version == "standard":
            self._folder.cleanup()


def _platform_tag(folders: list[Path]) -> str:
    """Every Linux whose C library is recent enough for the libraries, which need nothing else (PEP 600).

    The tag need not exclude processors that are too old for them: there mmsim compiles instead.
    """
    code = b"".join(path.read_bytes() for folder in folders for path in folder.glob("*.so"))
    versions = [int(minor) for minor in re.findall(rb"GLIBC_2\.(\d+)", code)]
    return f"manylinux_2_{max([17, *versions])}_x86_64"
