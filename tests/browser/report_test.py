"""report_test.py CHROMIUM FOLDER: FOLDER/report as a person uses it, opened from disk in a headless Chromium. Screenshots
are left in FOLDER."""

import csv
import io
import pathlib
import re
import shutil
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from access_test import Access  # noqa: F401, E402
from explorer_test import Explorer  # noqa: F401, E402
from pages import CELLS, FOLDER, REPORT, Pages  # noqa: E402

PAGES = ["index", "claims", "nbody/basic_block_size", "nbody/variants", "nbody/residency", "nbody/waves", "nbody/hostile"]
UNITS = {"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}


def seconds(text):
    number, unit = text.split(" ")
    return float(number) * UNITS[unit]


class Browser(Pages):
    def test_every_page_opens_without_an_error_and_asks_the_network_for_nothing(self):
        for name in PAGES:
            with self.subTest(name):
                page = self.open(name)
                for number in range(page.locator(".chart").count()):
                    self.drawn(page, number)
                self.assertEqual(self.errors, [])
                self.assertEqual([url for url in self.requests if not url.startswith(("file:", "data:,"))], [])
                self.assertGreater(len(self.requests), 3)

    def test_the_front_page_has_a_card_of_the_study_that_leads_to_every_page(self):
        page = self.open("index")
        card = page.locator(".card")
        self.assertEqual(card.locator("h2").all_inner_texts(), ["nbody"])
        self.assertGreater(card.locator(".ladder li").count(), 1)
        self.assertEqual(card.locator(".verdicts li").count(), 4)
        card.locator("summary").click()
        self.assertIn("BLOCK_SIZE 512 48.42 G interactions/s", card.inner_text())
        for link in page.locator("main a").all():
            file = REPORT / link.get_attribute("href").split("#")[0]
            self.assertTrue(file.is_file() and file.suffix == ".html", file)
        card.get_by_role("link", name="basic_block_size", exact=True).click()
        self.assertEqual(page.title(), "nbody: basic_block_size - tailwave")
        page.get_by_role("link", name="Results").click()
        self.assertEqual(page.title(), "Results - tailwave")

    def test_the_search_leaves_what_has_every_word(self):
        page = self.open("index")
        page.locator("#search").fill("basic_block_size")
        names = page.locator(".experiment > a").evaluate_all("all => all.filter(one => one.offsetParent).map(one => one.textContent)")
        self.assertEqual(names, ["basic_block_size"])
        page.locator("#search").fill("no such words")
        self.assertEqual(page.locator(".card:visible").count(), 0)

    def test_an_experiment_has_all_its_parts(self):
        page = self.unfolded("nbody/basic_block_size")
        sections = [heading.strip() for heading in page.locator("h2, h3").all_inner_texts()]
        for part in ["NVIDIA H200", "Charts", "Beside the published figures", "Not correct", "Occupancy and waves",
                     "Environment", "What the study claims", "Notes"]:
            self.assertIn(part, sections)
        self.assertTrue([table for table in page.locator(".table").all_inner_texts() if "exceeds_device_limit" in table])

    def test_a_chart_shows_every_row_as_a_point_of_a_line(self):
        page = self.open("nbody/basic_block_size")
        figure = self.drawn(page, 1)  # below that of the answer
        plot = figure.locator(".plot svg").bounding_box()
        self.assertGreater(plot["width"], 560)
        self.assertGreater(plot["height"], 300)
        points = figure.locator(".mark-symbol path").evaluate_all("all => all.map(one => one.getBoundingClientRect().toJSON())")
        plot = figure.locator(".plot svg").bounding_box()
        self.assertEqual(len(points), 15)
        self.assertEqual(len({round(point["x"], 1) for point in points}), 15)
        self.assertGreater(len({round(point["y"], 1) for point in points}), 8)
        for point in points:
            self.assertTrue(plot["x"] < point["x"] < plot["x"] + plot["width"], point)
            self.assertTrue(plot["y"] < point["y"] < plot["y"] + plot["height"], point)
        line = figure.locator(".mark-line path").first.get_attribute("d")
        self.assertEqual(len(re.findall("[ML]", line)), 15)
        self.assertFalse(figure.locator("img").is_visible())
        figure.screenshot(path=FOLDER / "chart.png")

    def test_a_trace_shows_its_blocks_as_bars(self):
        page = self.open("nbody/waves")
        figure = self.drawn(page)
        bars = figure.locator(".mark-rect path")
        self.assertGreater(bars.count(), 100)
        self.assertGreater(bars.nth(50).bounding_box()["width"], 1)

    def test_a_point_tells_its_values_when_the_mouse_is_on_it(self):
        page = self.open("nbody/basic_block_size")
        point = self.drawn(page, 1).locator(".mark-symbol path").nth(3)
        point.hover()
        tip = page.locator("#vg-tooltip-element.visible")
        tip.wait_for(timeout=20000)
        self.assertRegex(tip.inner_text(), r"Variant\s*nbody_parallel\s*Block size\s*4\s*Throughput \(interactions/s\)\s*45.35")

    def test_the_wheel_zooms_with_ctrl_and_a_double_click_undoes_it(self):
        page = self.open("nbody/basic_block_size")
        figure = self.drawn(page, 1)  # below that of the answer
        labels = lambda: sorted(figure.locator(".role-axis-label text").all_text_contents())
        before = labels()
        plot = figure.locator(".plot svg").bounding_box()
        page.mouse.move(plot["x"] + 300, plot["y"] + 150)
        page.keyboard.down("Control")
        page.mouse.wheel(0, -400)
        page.keyboard.up("Control")
        page.wait_for_timeout(300)
        self.assertNotEqual(labels(), before)
        page.mouse.dblclick(plot["x"] + 300, plot["y"] + 150)
        page.wait_for_timeout(300)
        self.assertEqual(labels(), before)

    def test_a_click_in_the_legend_fades_the_other_series(self):
        page = self.open("nbody/residency")
        figure = self.drawn(page, 3)
        fitted = figure.locator(".mark-symbol path[fill='#ffffff']").first
        full = fitted.get_attribute("opacity")
        button = figure.get_by_role("button", name="staircase model")
        button.click()
        self.assertEqual(button.get_attribute("aria-pressed"), "true")
        self.assertEqual((full, fitted.get_attribute("opacity")), ("1", "0.125"))
        button.click()
        self.assertEqual(button.get_attribute("aria-pressed"), "false")
        self.assertEqual(fitted.get_attribute("opacity"), "1")

    def test_a_click_on_a_heading_sorts_by_value_not_by_text(self):
        page = self.unfolded("nbody/variants")
        table = page.locator(".table table").first
        cells = table.evaluate(CELLS)
        column = cells[0].index("median")
        self.assertGreater(len({cell.split(" ")[1] for row in cells[1:] for cell in [row[column]] if cell}), 1)
        heading = table.locator("th").nth(column)
        for direction, order in [("ascending", 1), ("descending", -1)]:
            heading.get_by_role("button").click()
            self.assertEqual(heading.get_attribute("aria-sort"), direction)
            shown = [row[column] for row in table.evaluate(CELLS)[1:]]
            self.assertEqual(shown, sorted(shown, key=lambda text: order * seconds(text)))
        self.assertCountEqual(table.evaluate(CELLS), cells)

    def test_rows_without_a_value_stay_last(self):
        page = self.unfolded("nbody/basic_block_size")
        table = page.locator(".table table").first
        column = table.evaluate(CELLS)[0].index("median")
        for _ in range(2):
            table.locator("th").nth(column).get_by_role("button").click()
            self.assertEqual(table.evaluate(CELLS)[-1][:2], ["1025", "exceeds_device_limit"])

    def pasted(self, page, name):
        """What the first table's button of that name leaves on the clipboard."""
        button = page.get_by_role("button", name=name, exact=True).first
        # What it says for a moment is kept, since a busy machine may look too late.
        button.evaluate("""button => new MutationObserver(() => { button.dataset.said ??= button.textContent; })
                                       .observe(button, {childList: true})""")
        button.click()
        page.locator("button[data-said=copied]").wait_for(timeout=20000)
        page.evaluate("document.body.append(Object.assign(document.createElement('textarea'), {id: 'paste'}))")
        page.locator("#paste").focus()
        page.keyboard.press("Control+V")
        text = page.locator("#paste").input_value()
        page.locator("#paste").evaluate("area => area.remove()")
        return text

    def test_a_table_can_be_copied_as_csv(self):
        page = self.unfolded("nbody/basic_block_size")
        cells = page.locator(".table table").first.evaluate(CELLS)
        text = self.pasted(page, "CSV")
        self.assertEqual(list(csv.reader(io.StringIO(text))), cells)
        self.assertIn("\n512,correct,346.5 us,346.4 us to 347.2 us,20,48.42 G/s,100 %,", text)

    def test_a_table_can_be_copied_as_markdown(self):
        page = self.unfolded("nbody/basic_block_size")
        lines = self.pasted(page, "Markdown").splitlines()
        self.assertTrue(lines[0].startswith("| BLOCK_SIZE | outcome | median |"), lines[0])
        self.assertTrue(lines[1].startswith("| ---: | --- | ---: |"), lines[1])
        self.assertEqual(len(lines), 18)
        self.assertTrue(any(line.startswith("| 512 | correct | 346.5 us |") for line in lines))

    def test_a_table_can_be_copied_as_latex(self):
        page = self.unfolded("nbody/basic_block_size")
        lines = self.pasted(page, "LaTeX").splitlines()
        self.assertRegex(lines[0], r"^\\begin\{tabular\}\{rlrr")
        self.assertTrue(lines[2].startswith(r"BLOCK\_SIZE & outcome & median &"), lines[2])
        self.assertTrue(any(line.startswith(r"512 & correct & 346.5 us &") and r"100 \%" in line for line in lines))
        self.assertEqual(lines[-2:], [r"\hline", r"\end{tabular}"])

    def test_it_is_dark_where_the_system_is(self):
        background = "getComputedStyle(document.body).backgroundColor"
        title = ".role-title-text text"
        page = self.open("nbody/basic_block_size", color_scheme="light")
        figure = self.drawn(page)
        self.assertEqual((page.evaluate(background), figure.locator(title).first.get_attribute("fill")),
                         ("rgb(255, 255, 255)", "#222222"))
        page.emulate_media(color_scheme="dark")
        page.locator(".plot svg[style*='rgb(21, 24, 28)']").first.wait_for(timeout=20000)
        self.assertEqual((page.evaluate(background), figure.locator(title).first.get_attribute("fill")),
                         ("rgb(21, 24, 28)", "#e3e6e8"))
        page.screenshot(path=FOLDER / "dark.png")

    def test_on_a_phone_only_tables_and_charts_scroll_sideways(self):
        for name in ["index", "claims", "nbody/hostile", "nbody/waves"]:
            with self.subTest(name):
                page = self.unfolded(name, viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True)
                if page.locator(".chart").count():
                    self.drawn(page)
                self.assertEqual(page.evaluate("document.documentElement.scrollWidth"), 390)
                if name.startswith("nbody/"):
                    self.assertTrue(page.evaluate("[...document.querySelectorAll('.table')].some(b => b.scrollWidth > b.clientWidth)"))
        page.screenshot(path=FOLDER / "phone.png")

    def test_on_a_phone_a_chart_with_short_labels_is_as_wide_as_the_screen(self):
        page = self.unfolded("nbody/variants", viewport={"width": 420, "height": 844})
        self.drawn(page)
        sizes = "(() => { const plot = document.querySelector('.chart.drawn .plot'); return [plot.scrollWidth, plot.clientWidth]; })()"
        needed, there = page.evaluate(sizes)
        self.assertEqual(needed, there)

    def expect_pictures(self, page):
        image = page.locator(".chart img").first
        image.scroll_into_view_if_needed()
        page.wait_for_function("document.querySelector('.chart img').naturalWidth > 500")
        self.assertGreater(image.bounding_box()["width"], 500)
        self.assertEqual(page.locator(".chart svg").count(), 0)

    def test_without_javascript_charts_are_pictures(self):
        page = self.open("nbody/basic_block_size", java_script_enabled=False)
        self.expect_pictures(page)

    def test_charts_need_nothing_but_the_program(self):
        page = self.open("nbody/basic_block_size", folder=FOLDER / "without_svg")
        figure = self.drawn(page, 1)
        self.assertEqual(figure.locator(".mark-symbol path").count(), 15)
        self.assertEqual(page.locator(".chart img").count(), 0)
        self.expect_nothing_asked()

    def test_without_vega_charts_are_pictures_and_tables_still_sort(self):
        copy = FOLDER / "without_vega"
        shutil.copytree(REPORT, copy, dirs_exist_ok=True)
        (copy / "assets/vega.js").unlink()
        page = self.unfolded("nbody/basic_block_size", folder=copy)
        self.expect_pictures(page)
        page.locator("th button").first.click()
        self.assertEqual(page.locator("th").first.get_attribute("aria-sort"), "ascending")

    def test_markup_in_data_is_shown_as_text(self):
        for name in ["index", "nbody/hostile"]:
            page = self.unfolded(name)
            if name != "index":
                figure = self.drawn(page, 1)
                figure.locator(".mark-symbol path").first.hover()
                page.locator("#vg-tooltip-element.visible").wait_for(timeout=20000)
                self.assertIn("</script>", page.locator("#vg-tooltip-element").inner_text())
                explorer = self.explorer(page)
                explorer.locator("tbody tr").last.click()
                self.assertIn("</script>", explorer.locator(".details").inner_text())
            self.assertIn("Is </script><script>window.injected = 1</script><img src=x onerror='window.injected = 1'> text?",
                          page.locator("main").inner_text())
            page.wait_for_timeout(200)
            self.assertIsNone(page.evaluate("window.injected ?? null"))
            self.assertEqual(page.locator("img[src=x]").count(), 0)
            self.assertEqual(self.errors, [])

    def test_screenshots_are_kept(self):
        self.open("index").screenshot(path=FOLDER / "index.png")
        page = self.open("nbody/basic_block_size")
        self.drawn(page)
        page.screenshot(path=FOLDER / "experiment.png", full_page=True)
        self.assertGreater((FOLDER / "experiment.png").stat().st_size, 50000)


if __name__ == "__main__":
    Pages.start()
    try:
        found = unittest.main(argv=sys.argv[:1], verbosity=2, exit=False).result
    finally:
        Pages.stop()
    sys.exit(not found.wasSuccessful())
