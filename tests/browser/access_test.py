"""What a page owes those who cannot see it well, or use no mouse: axe-core's rules of WCAG 2.1, levels A and AA, contrast among
them, light and dark."""

import importlib.util
import pathlib

import pages
from pages import FOLDER

AXE = pathlib.Path(importlib.util.find_spec("axe_playwright_python").origin).with_name("axe.min.js").read_text()
RULES = "axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'], resultTypes: ['violations']})"


class Access(pages.Pages):
    def violations(self, page):
        page.evaluate(AXE)
        return [f"{found['id']}: {node['html'][:200]} ({node['failureSummary']})"
                for found in page.evaluate(RULES)["violations"] for node in found["nodes"]]

    def test_pages_hold_the_rules_of_wcag_in_light_and_in_dark(self):
        for scheme in ["light", "dark"]:
            for name in ["index", "claims", "nbody/study", "nbody/variants"]:
                with self.subTest(name=name, scheme=scheme):
                    page = self.open(name, color_scheme=scheme)
                    if page.locator(".explorer").count():
                        self.explorer(page).locator("tbody tr").nth(1).click()
                        page.screenshot(path=FOLDER / f"{name.replace('/', '_')}_{scheme}.png", full_page=True)
                    self.assertEqual(self.violations(page), [])

    def test_nothing_is_wider_than_a_screen_of_420_pixels(self):
        for name in ["index", "claims", "nbody/study", "nbody/variants"]:
            with self.subTest(name):
                page = self.open(name, viewport={"width": 420, "height": 900}, is_mobile=True, has_touch=True)
                if page.locator(".explorer").count():
                    self.explorer(page).screenshot(path=FOLDER / "explorer_phone.png")
                self.assertEqual(page.evaluate("document.documentElement.scrollWidth"), 420)
                self.expect_nothing_asked()
