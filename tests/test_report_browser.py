"""The report in a real browser: nothing fetched, nothing complained of, light, dark, on a phone, printed."""

from __future__ import annotations

import shutil

import pytest

import separatrix as sx

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="module")
def browser():
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed")
    with api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield started
        started.close()


@pytest.fixture(scope="module")
def page_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    X, y = sx.problems.iris("versicolor", "virginica")
    sx.diagnose(X, y, budget=1).to_html(path)
    return path


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1200])
@pytest.mark.parametrize("scripts", [True, False])
def test_no_request_no_complaint_and_it_fits(browser, page_file, scheme, width, scripts):
    context = browser.new_context(
        viewport={"width": width, "height": 850}, color_scheme=scheme, java_script_enabled=scripts
    )
    page = context.new_page()
    heard: list[str] = []
    page.on("console", lambda message: heard.append(message.text))
    page.on("pageerror", lambda error: heard.append(str(error)))
    page.on(
        "request",
        lambda request: heard.append(request.url) if not request.url.startswith("file:") else None,
    )
    page.goto(page_file.as_uri())
    assert heard == []
    assert page.get_by_role("main").is_visible()
    assert page.get_by_role("heading", level=2).first.is_visible()
    assert page.get_by_role("img").count() >= 4
    verdict = page.locator("section.first").bounding_box()
    assert verdict["y"] + verdict["height"] <= 850 * (1 if width > 600 else 1.3)
    if scripts:
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert paper == ("rgb(255, 255, 255)" if scheme == "light" else "rgb(13, 17, 23)")
    context.close()


def test_it_prints(browser, page_file):
    page = browser.new_page()
    page.goto(page_file.as_uri())
    printed = page.pdf()
    assert printed[:5] == b"%PDF-"
    assert 1 <= printed.count(b"/Type /Page") <= 12
