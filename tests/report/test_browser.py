"""The report in a real browser: nothing fails, nothing is fetched, everything shows, also narrow, dark and printed."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")


@pytest.fixture
def visited(browser: Any, report: Path) -> Iterator[tuple[Any, list[str], list[str]]]:
    """The page, what its console said, and what it asked the network for."""
    page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
    said: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto((report / "report.html").as_uri())
    yield page, said, asked
    page.context.close()


def test_the_console_is_silent_and_the_network_unused(visited: Any, report: Path) -> None:
    page, said, asked = visited
    page.mouse.wheel(0, 20_000)
    page.wait_for_timeout(200)
    assert said == []
    assert [url for url in asked if not url.startswith("data:")] == [(report / "report.html").as_uri()]


def test_every_picture_shows(visited: Any) -> None:
    page, _, _ = visited
    sizes = page.evaluate("[...document.images].map(image => image.complete ? image.naturalWidth : 0)")
    assert len(sizes) == 3
    assert min(sizes) > 0
    charts = page.evaluate(
        "[...document.querySelectorAll('.chart svg')].map(svg => svg.getBoundingClientRect().height)"
    )
    assert len(charts) > 8
    assert min(charts) > 60


def test_links_lead_to_their_sections(visited: Any) -> None:
    page, _, _ = visited
    page.emulate_media(reduced_motion="reduce")
    for link in page.query_selector_all("nav a"):
        link.click()
        target = page.evaluate("document.querySelector(location.hash).getBoundingClientRect().top")
        bottom = page.evaluate("innerHeight + scrollY >= document.documentElement.scrollHeight - 2")
        assert bottom or 0 <= target < 120


def test_the_first_screen_has_question_answer_and_chart(visited: Any) -> None:
    page, _, _ = visited
    for what in ("#answer h1", "#answer li:last-child", "#answer .chart svg"):
        box = page.query_selector(what).bounding_box()
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= 800


@pytest.mark.parametrize("width", [320, 375, 768, 1280])
def test_nothing_is_wider_than_the_screen(visited: Any, width: int) -> None:
    page, _, _ = visited
    page.set_viewport_size({"width": width, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_text_keeps_its_contrast_in_light_and_dark(visited: Any) -> None:
    page, _, _ = visited
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        for what in ("body", ".note", ".label", ".chart svg text"):
            assert page.evaluate(_CONTRAST, what) >= 4.5, (scheme, what)


def test_it_reads_without_javascript(browser: Any, report: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((report / "report.html").as_uri())
    assert page.locator("#answer li").count() == 3
    assert page.locator(".chart svg").first.is_visible()
    page.locator("summary").first.click()
    assert page.locator("table").first.is_visible()
    context.close()


def test_it_prints(visited: Any) -> None:
    page, _, _ = visited
    page.emulate_media(media="print")
    assert not page.locator("nav").is_visible()
    assert len(page.pdf(format="A4")) > 20_000
    heights = page.evaluate("[...document.querySelectorAll('figure')].map(one => one.getBoundingClientRect().height)")
    assert max(heights) < 980  # pixels; the rest of a page of A4 is margin


_CONTRAST = """selector => {
  const channel = c => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  const numbers = colour => colour.match(/[\\d.]+/g).map(Number);
  const light = rgb => 0.2126 * channel(rgb[0]) + 0.7152 * channel(rgb[1]) + 0.0722 * channel(rgb[2]);
  const element = document.querySelector(selector);
  const style = getComputedStyle(element);
  const ink = numbers(element.closest('svg') ? style.fill : style.color);
  let behind = element;
  while (behind && numbers(getComputedStyle(behind).backgroundColor)[3] === 0) behind = behind.parentElement;
  const paper = numbers(getComputedStyle(behind || document.body).backgroundColor);
  const [high, low] = [light(ink), light(paper)].sort((a, b) => b - a);
  return (high + 0.05) / (low + 0.05);
}"""
