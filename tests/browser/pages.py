"""Pages of a report, opened from disk in a headless Chromium: one browser, and one tab for each way to look at them."""

import pathlib
import sys
import unittest

from playwright.sync_api import sync_playwright

CHROMIUM, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
REPORT = FOLDER / "report"

# Cells of a table, row by row, as they are shown.
CELLS = "table => [...table.rows].map(row => [...row.cells].map(cell => cell.textContent.trim()))"


class Pages(unittest.TestCase):
    """What the page that is open logs as an error and what it asks for are in self.errors and self.requests."""

    playwright, browser = None, None
    tabs, errors, requests = {}, [], []

    @classmethod
    def start(cls):
        Pages.playwright = sync_playwright().start()
        Pages.browser = Pages.playwright.chromium.launch(executable_path=CHROMIUM)

    @classmethod
    def stop(cls):
        Pages.browser.close()
        Pages.playwright.stop()

    def open(self, name, folder=REPORT, **options):
        """The page of that name."""
        key = repr(options)
        if key not in self.tabs:
            self.tabs[key] = self.new_tab(options)
        page = self.tabs[key]
        page.goto("about:blank")
        self.errors.clear()
        self.requests.clear()
        page.goto((folder / f"{name}.html").as_uri())
        return page

    def unfolded(self, name, **options):
        """The same with all of its sections open."""
        page = self.open(name, **options)
        page.evaluate("document.querySelectorAll('details').forEach(fold => { fold.open = true; })")
        return page

    @classmethod
    def new_tab(cls, options):
        context = cls.browser.new_context(**{"viewport": {"width": 1200, "height": 900}, **options})
        page = context.new_page()
        page.on("console", lambda message: message.type == "error" and cls.errors.append(message.text))
        page.on("pageerror", lambda error: cls.errors.append(str(error)))
        page.on("request", lambda request: cls.requests.append(request.url))
        return page

    def drawn(self, page, number=0):
        """The chart of that number, once it has been scrolled to and drawn."""
        figure = page.locator(".chart").nth(number)
        figure.scroll_into_view_if_needed()
        page.wait_for_function("n => document.querySelectorAll('.chart')[n].matches('.drawn')", arg=number, timeout=20000)
        return figure

    def explorer(self, page):
        """The explorer of the page, once it has been scrolled to and drawn."""
        element = page.locator(".explorer")
        element.scroll_into_view_if_needed()
        page.wait_for_function("document.querySelector('.explorer').matches('.started[data-drawn-ms]')", timeout=20000)
        return element

    def expect_nothing_asked(self):
        self.assertEqual(self.errors, [])
        self.assertEqual([url for url in self.requests if not url.startswith(("file:", "data:", "blob:"))], [])
