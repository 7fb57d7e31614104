"""The docs site: built without a warning, whole, and of use without a network."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from build_tools.markdown import SHIPPED
from build_tools.site import DOCS, RECORDS, ROOT, site_links
from mmsim.core.rulebook import rulebook
from mmsim.games import find_shell
from tests.docs.pages import text_of
from tests.report.conftest import browser as browser
from tests.sharing import made_once

KINDS = {"tutorial", "how-to", "reference", "explanation"}
RESULTS = {"findings", "gallery", "atlas", "design"}


def build(folder: Path) -> None:
    command = [sys.executable, "-m", "sphinx", "--fail-on-warning", "--keep-going", "--nitpicky", "--quiet"]
    done = subprocess.run([*command, DOCS, folder], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("furo")
    return made_once(tmp_path_factory, "site", build)


class Page(HTMLParser):
    """The links and anchors of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.feed(re.sub("<script.*?</script>", "", path.read_text(encoding="utf-8"), flags=re.DOTALL))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" and value:
                self.ids.add(value)
            elif name in ("href", "src") and value:
                self.links.append(value)


def test_every_link_of_the_built_site_leads_somewhere(site: Path) -> None:
    pages = {path: Page(path) for path in site.rglob("*.html")}
    assert len(pages) > 60
    dead = []
    for path, page in pages.items():
        for link in page.links:
            if re.match(r"[a-z]+:", link):
                continue
            file, _, anchor = unquote(link).partition("#")
            target = (path.parent / file.partition("?")[0]).resolve() if file else path
            if not target.is_file() or (anchor and target in pages and anchor not in pages[target].ids):
                dead.append((path.relative_to(site).as_posix(), link))
    assert dead == []


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    for path in [*site.rglob("*.html"), *site.rglob("*.css")]:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"""(<(script|img|iframe|link)\b[^>]*(src|href)=|url\()["']?(https?:)?//""", text), path


def test_every_page_is_of_one_kind(site: Path) -> None:
    """Or it is a result, or about the project; the rules and the glossary, which the wheel ships, are reference."""
    pages = {page.relative_to(DOCS).with_suffix("") for page in DOCS.rglob("*.md")}
    elsewhere = {page.as_posix() for page in pages if page.parts[0] not in KINDS | {"findings"} | RESULTS}
    assert elsewhere == {"index", "contributing", "changelog", "glossary", "rules/metro", "rules/metromania"}
    reference = text_of("docs/reference/index.md")
    assert all(f"../{page}" in reference for page in ("glossary", "rules/metro", "rules/metromania"))


@pytest.mark.parametrize("game", SHIPPED)
def test_every_rule_can_be_linked_by_its_id(site: Path, game: str) -> None:
    assert {*rulebook(game)} <= Page(site / "rules" / f"{game}.html").ids


def test_the_replays_are_what_the_page_says_of_them(site: Path) -> None:
    records = {path.stem: json.loads(path.read_bytes()) for path in RECORDS.glob("*.json")}
    assert sorted(records) == ["closest", "comeback", "longest", "metro", "most-lopsided"]
    for name, record in records.items():
        find_shell(record["game"]).verify(record)
        assert (site / "replays" / f"{name}.html").stat().st_size > 50_000
        assert f"(replays/{name}.json)" in text_of("docs/gallery.md")
    margins = {
        name: best[-1] - best[-2] for name, record in records.items() if (best := sorted(record["result"]["scores"]))
    }
    assert (margins["closest"], margins["most-lopsided"], margins["metro"]) == (0, 26, 1)
    assert records["longest"]["moves"][-1]["turn"] == 41


@pytest.mark.parametrize(
    ("link", "in_the_site"),
    [
        ("[a](../../CONTRIBUTING.md#add-a-knob)", "[a](../contributing.md#add-a-knob)"),
        ("[a](../../mmsim/core/game.py)", "a"),
        ("[a](../../reports/sample/report.html)", '<a class="reference external" href="../sample/report.html">a</a>'),
        ("[a](../replays/metro.json)", '<a class="reference external" href="../replays/metro.html">a</a>'),
        ("[a](own-bot.md#what-a-bot-sees)", "[a](own-bot.md#what-a-bot-sees)"),
        ("![a](../images/report.png)", "![a](../images/report.png)"),
        ("[a](https://distributed.dask.org)", "[a](https://distributed.dask.org)"),
        ("[a](no-such-page.md)", "[a](no-such-page.md)"),
    ],
)
def test_links_out_of_docs_become_what_the_site_has(link: str, in_the_site: str) -> None:
    assert site_links(f"See {link}.", DOCS / "how-to", DOCS / "how-to") == f"See {in_the_site}."


@pytest.fixture(scope="module")
def window(browser: Any) -> Iterator[Any]:
    context = browser.new_context(viewport={"width": 390, "height": 800}, color_scheme="dark")
    yield context.new_page()
    context.close()


def test_search_finds_a_page_without_a_server(window: Any, site: Path) -> None:
    window.goto((site / "index.html").as_uri())
    window.eval_on_selector("form input[name=q]", "field => { field.value = 'tolerance'; field.form.submit() }")
    window.wait_for_selector("#search-results a[href*='explanation/statistics.html']", state="attached")


@pytest.mark.parametrize("name", ["index", "findings", "gallery", "reference/rulesets", "explanation/bots"])
def test_a_page_is_dark_where_it_should_be_and_no_wider_than_a_phone(window: Any, site: Path, name: str) -> None:
    messages: list[str] = []
    window.on("console", lambda message: messages.append(message.text))
    window.goto((site / f"{name}.html").as_uri())
    assert messages == []
    assert window.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    background = window.evaluate("getComputedStyle(document.body).backgroundColor")
    assert max(int(part) for part in re.findall(r"\d+", background)[:3]) < 60
    assert window.evaluate("[...document.images].every(image => image.complete && image.naturalWidth > 0)")
