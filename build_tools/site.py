"""What the docs site adds to Sphinx: links that leave docs/, the sample report, and the replays.

Pages link to each other, and to other files of the repository, as a code host resolves links. In the site a link to
CONTRIBUTING.md or CHANGELOG.md leads to a page, one to the sample report to a copy, one to a record of docs/replays
to its replay; one to source code is plain text, because the site has no source code.
"""

import re
import shutil
import subprocess
import sys
from os.path import relpath
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
SAMPLE = ROOT / "reports" / "sample"
RECORDS = DOCS / "replays"
PLAYOUTS = 40  # per turn, for the graph of a replay
_PAGES = {"contributing": ROOT / "CONTRIBUTING.md", "changelog": ROOT / "CHANGELOG.md"}  # shown as pages of docs/
_LINK = re.compile(r"(?<!!)\[((?:!\[[^\]]*\]\([^)]*\)|[^\[\]])+)\]\(([^)\s#]+)(#[^)\s]+)?\)")
_RULE = re.compile(r"^- \*\*([A-Z]+\d+)\*\*", re.MULTILINE)


def setup(app: Sphinx) -> dict[str, bool]:
    replays: list[subprocess.Popen[bytes]] = []

    def start_replays(app: Sphinx) -> None:
        """They are made while Sphinx works."""
        folder = Path(app.outdir, "replays")
        folder.mkdir(parents=True, exist_ok=True)
        for record in sorted(RECORDS.glob("*.json")):
            words = ["replay", record, "--out", folder / f"{record.stem}.html", "--playouts", str(PLAYOUTS)]
            command = [sys.executable, "-m", "mmsim", *map(str, words)]
            replays.append(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))

    def finish(app: Sphinx, exception: Exception | None) -> None:
        failed = [process.args for process in replays if process.wait()]
        if failed and exception is None:
            raise ExtensionError(f"no replay: {failed[0]!r}")
        shutil.copytree(SAMPLE, Path(app.outdir, "sample"), dirs_exist_ok=True)

    app.connect("source-read", read_page)
    app.connect("builder-inited", start_replays)
    app.connect("build-finished", finish)
    return {"parallel_read_safe": True}


def read_page(app: Any, name: str, source: list[str]) -> None:
    if name in _PAGES:
        source[0] = _PAGES[name].read_text(encoding="utf-8")
    if name.startswith("rules/"):
        source[0] = _RULE.sub(
            r'- <span id="\1"></span>**\1**', source[0]
        )  # so that rules/metromania.html#D3 is rule D3
    source[0] = site_links(source[0], _PAGES.get(name, DOCS / f"{name}.md").parent, (DOCS / name).parent)


def site_links(text: str, read_from: Path, page_folder: Path) -> str:
    """The text of a page with its links as the site needs them; a page may show a file from another folder."""

    def link(match: re.Match[str]) -> str:
        label, target, anchor = match[1], (read_from / match[2]).resolve(), match[3] or ""
        if not target.exists():
            return match[0]  # an address, or an error that Sphinx reports
        for page, file in _PAGES.items():
            if target == file:
                target = DOCS / f"{page}.md"
        if target.is_relative_to(SAMPLE):
            return _raw_link(label, DOCS / "sample" / target.relative_to(SAMPLE), page_folder)
        if target.parent == RECORDS:
            return _raw_link(label, target.with_suffix(".html"), page_folder)
        return f"[{label}]({relpath(target, page_folder)}{anchor})" if target.is_relative_to(DOCS) else label

    return _LINK.sub(link, text)


def _raw_link(label: str, target: Path, page_folder: Path) -> str:
    """A link to a file that Sphinx does not know."""
    return f'<a class="reference external" href="{relpath(target, page_folder)}">{label}</a>'
