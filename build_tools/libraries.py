"""A wheel ships the compiled code of all games, where it can be made; then it is for one kind of machine."""

import os
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Libraries(BuildHookInterface):
    """Puts the libraries into the wheel; without a C compiler, or on another machine, it stays pure."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version != "standard":  # an editable install builds them when they are first needed
            return
        self._folder = TemporaryDirectory()
        env = {key: value for key, value in os.environ.items() if not key.startswith("MMSIM_") or "CACHE" in key}
        env["PYTHONPATH"] = os.pathsep.join((self.root, *filter(None, [env.get("PYTHONPATH")])))
        subprocess.run([sys.executable, "-m", "mmsim.compiled", self._folder.name], env=env, cwd=self.root, check=True)
        made = sorted(Path(self._folder.name).iterdir())
        if made:
            build_data["force_include"].update({str(path): f"mmsim/compiled/shipped/{path.name}" for path in made})
            build_data["pure_python"] = False
            build_data["tag"] = f"py3-none-{_platform(made)}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if version == "standard":
            self._folder.cleanup()


def _platform(made: list[Path]) -> str:
    """Every Linux whose C library is as new as what the libraries call in it: they need nothing else (PEP 600).

    A processor that is too old for them is no reason against it: there mmsim compiles instead.
    """
    code = b"".join(path.read_bytes() for folder in made for path in folder.glob("*.so"))
    needed = [int(minor) for minor in re.findall(rb"GLIBC_2\.(\d+)", code)]
    return f"manylinux_2_{max([17, *needed])}_x86_64"
