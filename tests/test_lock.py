"""The lock file: what pyproject.toml asks for, in one version each, with hashes and without addresses."""

import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
LOCKED = re.findall(
    r"^([\w.-]+)==(\S+)((?: ; [^\n\\]+)?)((?: \\\n    --hash=sha256:[0-9a-f]{64})+)$", LOCK, re.MULTILINE
)


def test_every_requirement_is_locked_in_a_version_that_fits() -> None:
    versions: dict[str, list[str]] = {}
    for name, version, *_ in LOCKED:
        versions.setdefault(canonicalize_name(name), []).append(version)
    for text in (*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["dev"]):
        wanted = Requirement(text)
        locked = versions.get(canonicalize_name(wanted.name), [])
        assert locked, f"{wanted.name} is not in requirements.lock: run `make lock`"
        assert all(wanted.specifier.contains(version) for version in locked), f"{text}: run `make lock`"


def test_every_line_of_the_lock_is_a_version_with_hashes() -> None:
    lines = [line for line in LOCK.splitlines() if not line.startswith("#")]
    assert len(lines) == sum(1 + hashes.count("--hash") for *_, hashes in LOCKED)
    assert "://" not in LOCK


def test_developers_have_every_extra() -> None:
    extras = dict(PROJECT["optional-dependencies"])
    dev = set(extras.pop("dev"))
    assert set(extras) == {"cluster", "design", "export"}
    assert {name: missing for name, needs in extras.items() if (missing := set(needs) - dev)} == {}
