"""The explorer of an experiment's page, by mouse and by keyboard, with a few configurations and with 10,000."""

import base64
import gzip
import json
import random
import re

import pages
from pages import FOLDER, REPORT

COUNT = 10_000
DATA = re.compile(r'(<script type="application/octet-stream">)([^<]*)(</script>)')

# Counts the frames from now on, and how long each takes.
COUNT_FRAMES = """() => {
  window.frames_ms = [];
  let last = performance.now();
  const frame = () => {
    const now = performance.now();
    window.frames_ms.push(now - last);
    last = now;
    if (window.frames_ms.length < 10000) requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}"""


def unpacked(page):
    return json.loads(gzip.decompress(base64.b64decode(DATA.search(page)[2])))


def of_many(data):
    """Data of one device with COUNT rows: those that are there, with parameters that tell them apart."""
    device, = data["devices"][:1]
    draw = random.Random(1)
    rows = [draw.randrange(device["rows"]) for _ in range(COUNT)]
    for column in device["columns"]:
        kind = "data" if "data" in column else "codes"
        column[kind] = [column[kind][row] for row in rows]
        if kind == "data" and column["role"] in ("metric", "result"):
            column[kind] = [value and value * draw.uniform(0.7, 1.3) for value in column[kind]]
    for name, values in [("UNROLL", [1, 2, 4, 8, 16]), ("TILE_X", [8, 16, 32, 64]), ("TILE_Y", [1, 2, 4, 8]), ("STAGES", [1, 2, 3, 4])]:
        device["columns"].insert(1, {"label": name, "role": "parameter", "format": "number", "data": draw.choices(values, k=COUNT)})
    for name in ("names", "samples"):
        device[name] = [device[name][row] for row in rows]
    for name in ("details", "options"):
        device[name]["codes"] = [device[name]["codes"][row] for row in rows]
    device.update(rows=COUNT, explained={})
    return {**data, "devices": [device]}


class Explorer(pages.Pages):
    def status(self, page, pattern):
        page.wait_for_function("pattern => new RegExp(pattern).test(document.querySelector('.explorer .status').textContent)",
                               arg=pattern, timeout=20000)

    def axis(self, page, name):
        return page.get_by_role("group", name=name, exact=True)

    def test_it_has_a_row_for_each_configuration_and_tells_what_is_stored_of_it(self):
        page = self.open("nbody/variants")
        explorer = self.explorer(page)
        names = explorer.locator(".axis-name").all_inner_texts()
        self.assertEqual(names[:3] + names[-1:], ["variant", "BLOCK_SIZE", "BLOCK_STRIDE", "interactions/s"])
        self.status(page, r"^\d+ configurations; the best of them: tuned, .*\(1\.\d+ T interactions/s\)$")
        rows = int(explorer.get_by_role("grid").get_attribute("aria-rowcount")) - 1
        self.assertGreater(rows, 4)
        explorer.locator("tbody tr").nth(1).click()
        details = explorer.locator(".details")
        for part in ["Samples", "Why the best is faster", "Results", "Resources and waves", "Built for, by and with", "Defined"]:
            self.assertIn(part, details.locator("h5").all_inner_texts())
        self.assertRegex(details.inner_text(), r"The best is [\d.]+ times as fast as this one")
        self.assertGreater(details.locator("circle").count(), 4)
        explorer.screenshot(path=FOLDER / "explorer.png")
        self.expect_nothing_asked()

    def test_a_brush_on_an_axis_filters_everything_and_a_click_ends_it(self):
        page = self.open("nbody/basic_block_size")
        explorer = self.explorer(page)
        everything = explorer.locator(".status").inner_text()
        strip = self.axis(page, "BLOCK_SIZE").locator(".strip").bounding_box()
        x, y = strip["x"] + strip["width"] / 2, strip["y"]
        page.mouse.move(x, y + strip["height"] * 0.45)
        page.mouse.down()
        page.mouse.move(x, y + strip["height"] * 0.95, steps=4)
        page.mouse.up()
        self.status(page, r"^\d of 16 configurations, 1 of all not correct \(BLOCK_SIZE \d+ to \d+\); the best")
        count = int(explorer.locator(".status").inner_text().split(" ")[0])
        self.assertEqual(explorer.get_by_role("grid").get_attribute("aria-rowcount"), str(count + 1))
        self.assertEqual(explorer.locator("tbody tr").count(), count)
        page.mouse.click(x, y + strip["height"] * 0.2)
        self.status(page, "^16 configurations")
        self.assertEqual(explorer.locator(".status").inner_text(), everything)

    def test_a_rectangle_in_the_scatter_plot_filters_and_a_point_can_be_chosen(self):
        page = self.open("nbody/basic_block_size")
        explorer = self.explorer(page)
        plot = explorer.locator(".scatter canvas")
        plot.scroll_into_view_if_needed()
        box = plot.bounding_box()
        page.mouse.move(box["x"] + 76, box["y"] + 5)
        page.mouse.down()
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 262, steps=4)
        page.mouse.up()
        self.status(page, r"^\d of 16 configurations, 1 of all not correct \(the part chosen in the scatter plot\)")
        page.get_by_role("button", name="Show all").click()
        self.status(page, "^16 configurations")
        explorer.get_by_role("grid").press("End")
        self.assertEqual(explorer.locator("tr[aria-selected=true]").get_attribute("class"), "failed")
        self.assertRegex(explorer.locator(".details").inner_text(), r"BLOCK_SIZE 1025[\s\S]*exceeds_device_limit: ")
        self.assertEqual(self.errors, [])

    def test_the_keyboard_brushes_moves_axes_and_chooses_rows(self):
        page = self.open("nbody/basic_block_size")
        explorer = self.explorer(page)
        lower = page.get_by_role("slider", name="BLOCK_SIZE, lower end")
        lower.focus()
        for _ in range(3):
            page.keyboard.press("ArrowUp")
        self.status(page, "^13 of 16 configurations")
        self.assertEqual((lower.get_attribute("aria-valuenow"), lower.get_attribute("aria-valuetext")), ("3", "4"))
        page.keyboard.press("Escape")
        self.status(page, "^16 configurations")
        page.keyboard.press("Tab")
        self.assertEqual(page.evaluate("document.activeElement.getAttribute('aria-label')"), "BLOCK_SIZE, upper end")
        names = explorer.locator(".axis-name").all_inner_texts()
        page.get_by_role("button", name="BLOCK_SIZE: to the right").press("Enter")
        self.assertEqual(explorer.locator(".axis-name").all_inner_texts(), [names[1], names[0], *names[2:]])
        self.assertEqual(page.evaluate("document.activeElement.getAttribute('aria-label')"), "BLOCK_SIZE: to the right")
        page.get_by_role("button", name="interactions/s: linear; make it log").press("Enter")
        page.get_by_role("button", name="interactions/s: log; make it even").wait_for(timeout=20000)
        page.get_by_role("button", name="interactions/s: upside down").press("Enter")
        explorer.get_by_role("grid").focus()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
        chosen = explorer.locator("tr[aria-selected=true]")
        self.assertEqual(chosen.get_attribute("aria-rowindex"), "3")
        self.assertEqual(explorer.get_by_role("grid").get_attribute("aria-activedescendant"), chosen.get_attribute("id"))
        self.assertEqual(self.errors, [])

    def test_ten_thousand_configurations_stay_smooth(self):
        text = (REPORT / "nbody/variants.html").read_text()
        data = gzip.compress(json.dumps(of_many(unpacked(text))).encode())
        (REPORT / "nbody/many.html").write_text(DATA.sub(lambda found: found[1] + base64.b64encode(data).decode() + found[3], text))
        page = self.open("nbody/many")
        explorer = self.explorer(page)
        self.status(page, "^10,000 configurations")
        strip = self.axis(page, "TILE_X").locator(".strip").bounding_box()
        x, drawn = strip["x"] + 14, []
        page.mouse.move(x, strip["y"] + 30)
        page.evaluate(COUNT_FRAMES)
        page.mouse.down()
        for step in range(60):
            page.mouse.move(x, strip["y"] + 30 + 2 * step)
            drawn.append(float(explorer.get_attribute("data-drawn-ms")))
        frames = sorted(page.evaluate("window.frames_ms.splice(0, window.frames_ms.length)"))
        page.mouse.up()
        self.status(page, r"^\d,\d+ of 10,000 configurations")
        numbers = {"configurations": COUNT, "draw_ms_median": sorted(drawn)[len(drawn) // 2], "draw_ms_most": max(drawn),
                   "frames": len(frames), "frame_ms_median": round(frames[len(frames) // 2], 1),
                   "frame_ms_95_percent": round(frames[int(0.95 * len(frames))], 1)}
        (FOLDER / "explorer.json").write_text(json.dumps(numbers) + "\n")
        print(json.dumps(numbers))
        page.screenshot(path=FOLDER / "explorer_many.png")
        self.assertEqual(self.errors, [])
