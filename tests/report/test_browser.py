"""The report in a real browser: no errors, no requests, everything visible, also narrow, dark and printed."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

Visit = tuple[Any, list[str], list[str]]  # the page, messages of its console, URLs it requested


@pytest.fixture(scope="module")
def opened(browser: Any, report: Path) -> Iterator[Visit]:
    """The report, opened once for all tests: opening it takes a second of CPU."""
    page = browser.new_context().new_page()
    messages: list[str] = []
    requests: list[str] = []
    page.on("console", lambda message: messages.append(message.text))
    page.on("pageerror", lambda error: messages.append(str(error)))
    page.on("request", lambda request: requests.append(request.url))
    page.goto((report / "report.html").as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(details => details.dataset.open = details.open || '')")
    yield page, messages, requests
    page.context.close()


@pytest.fixture
def visited(opened: Visit) -> Visit:
    """The report in its initial state, whatever earlier tests did to it."""
    page, _, _ = opened
    page.set_viewport_size({"width": 1280, "height": 800})
    page.emulate_media(media="null", color_scheme="null", reduced_motion="null")
    page.evaluate(
        "document.querySelectorAll('details').forEach(details => details.open = details.dataset.open); scrollTo(0, 0)"
    )
    return opened


def test_the_console_is_silent_and_the_network_unused(visited: Any, report: Path) -> None:
    page, messages, requests = visited
    page.mouse.wheel(0, 20_000)
    page.wait_for_timeout(200)
    assert messages == []
    assert [url for url in requests if not url.startswith("data:")] == [(report / "report.html").as_uri()]


def test_every_picture_shows(visited: Any) -> None:
    page, _, _ = visited
    sizes = page.evaluate("[...document.images].map(image => image.complete ? image.naturalWidth : 0)")
    assert len(sizes) == 3
    assert min(sizes) > 0
    page.evaluate("document.querySelectorAll('details').forEach(details => details.open = true)")
    charts = page.evaluate(
        "[...document.querySelectorAll('.chart > svg, .broad svg')].map(svg => svg.getBoundingClientRect().height)"
    )
    assert len(charts) > 8
    assert min(charts) > 60


def test_links_lead_to_their_sections(visited: Any) -> None:
    page, _, _ = visited
    page.emulate_media(reduced_motion="reduce")
    for link in page.query_selector_all("nav a"):
        link.click()
        page.wait_for_function("!document.querySelector(location.hash + '> details.fold:not([open])')")
        target = page.evaluate("document.querySelector(location.hash).getBoundingClientRect().top")
        bottom = page.evaluate("innerHeight + scrollY >= document.documentElement.scrollHeight - 2")
        assert bottom or 0 <= target < 120


def test_the_answer_takes_at_most_five_screens_before_the_folds(visited: Any) -> None:
    page, _, _ = visited
    assert page.evaluate("document.querySelector('.folds').getBoundingClientRect().top") <= 5 * 800


def test_an_address_opens_the_fold_it_leads_to(browser: Any, report: Path) -> None:
    page = browser.new_page()
    page.goto((report / "report.html").as_uri() + "#gaps")
    assert page.locator("#gaps td").first.is_visible()
    assert not page.locator("#scores .chart").first.is_visible()
    page.close()


def test_the_first_screen_has_question_answer_and_chart(visited: Any) -> None:
    page, _, _ = visited
    for selector in ("#answer h1", "#answer .verdict-line", "#answer .chart svg"):
        box = page.query_selector(selector).bounding_box()
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= 800


@pytest.mark.parametrize("width", [320, 375, 768, 1280])
def test_nothing_is_wider_than_the_screen(visited: Any, width: int) -> None:
    page, _, _ = visited
    page.set_viewport_size({"width": width, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_verdict_is_on_the_first_screen_of_a_table(visited: Any) -> None:
    page, _, _ = visited
    page.evaluate("document.querySelectorAll('details').forEach(details => details.open = true)")
    for width, edge in ((1280, 1280), (390, 390)):
        page.set_viewport_size({"width": width, "height": 800})
        heads = page.locator("th", has_text="verdict")
        assert heads.count() == 2
        for number in range(2):
            box = heads.nth(number).bounding_box()
            assert box["x"] + box["width"] <= edge


def test_the_first_column_stays_on_a_phone(visited: Any) -> None:
    page, _, _ = visited
    page.set_viewport_size({"width": 390, "height": 800})
    page.evaluate("document.querySelectorAll('details').forEach(details => details.open = true)")
    cell = "document.querySelector('#variants td').getBoundingClientRect().left"
    before = page.evaluate(cell)
    page.evaluate("document.querySelector('#variants .scroll').scrollLeft = 100")
    assert page.evaluate("document.querySelector('#variants .scroll').scrollLeft") == 100
    assert page.evaluate(cell) == before


def test_tables_sort_by_numbers_and_by_words(visited: Any) -> None:
    page, _, _ = visited
    page.evaluate("document.querySelectorAll('details').forEach(details => details.open = true)")
    table = page.locator("#variants table").nth(1)
    column = "table => [...table.tBodies[0].rows].map(row => row.cells[%d].textContent.trim())"
    table.locator("th button").nth(2).click()
    rising = [float(text.split()[0].replace("−", "-")) for text in table.evaluate(column % 2)]
    assert rising == sorted(rising)
    table.locator("th button").nth(2).click()
    assert table.locator("th").nth(2).get_attribute("aria-sort") == "descending"
    falling = [float(text.split()[0].replace("−", "-")) for text in table.evaluate(column % 2)]
    assert falling == sorted(rising, reverse=True)
    table.locator("th button").nth(0).click()
    names = table.evaluate(column % 0)
    assert names[0] < names[-1]


def test_a_picture_is_enlarged_and_closed(visited: Any) -> None:
    page, messages, _ = visited
    page.evaluate("document.querySelectorAll('details').forEach(details => details.open = true)")
    small = page.locator("a.enlarge img").first.bounding_box()
    page.locator("a.enlarge").first.click()
    large = page.locator("dialog img").bounding_box()
    assert large["height"] > small["height"]
    assert large["y"] >= 0
    assert large["y"] + large["height"] <= 800
    page.keyboard.press("Escape")
    assert not page.locator("dialog").is_visible()
    assert messages == []


def test_text_keeps_its_contrast_in_light_and_dark(visited: Any) -> None:
    page, _, _ = visited
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        for selector in ("body", ".note", ".label", ".chart svg text"):
            assert page.evaluate(_CONTRAST, selector) >= 4.5, (scheme, selector)


def test_it_reads_without_javascript(browser: Any, report: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((report / "report.html").as_uri())
    assert page.locator("#answer .verdict-line").is_visible()
    assert page.locator(".chart svg").first.is_visible()
    assert not page.locator("#variants table").first.is_visible()
    page.locator("#variants summary").first.click()
    page.locator("#variants details summary").nth(1).click()
    assert page.locator("#variants table").first.is_visible()
    context.close()


def test_it_prints(visited: Any) -> None:
    page, _, _ = visited
    page.emulate_media(media="print")
    assert not page.locator("nav").is_visible()
    assert len(page.pdf(format="A4")) > 20_000
    heights = page.evaluate(
        "[...document.querySelectorAll('figure')].map(figure => figure.getBoundingClientRect().height)"
    )
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
