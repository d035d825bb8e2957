// An explorer: what is shown of the configurations of a device, and the views that show it, which all follow one another.

const most_axes_at_first = 9;
let explorers = 0;

class Explorer {
  constructor(element, page) {
    this.element = element;
    this.page = page;
    this.id = `explorer-${++explorers}`;
    this.dark = matchMedia("(prefers-color-scheme: dark)");
    this.parallel = new Parallel(this);
    this.scatter = new Scatter(this);
    this.table = new Table(this);
    this.details = new Details(this);
    this.status = make("p", { role: "status", class: "status" });
    this.legend = make("ul", { class: "legend" });
    this.bar = make("div", { class: "bar" });
    element.replaceChildren(this.bar, this.status, this.legend, this.parallel.element,
      make("div", { class: "below" }, this.scatter.element, this.details.element), this.table.element);
    this.show_device(0);
    this.dark.addEventListener("change", () => this.recolour());
    new ResizeObserver(() => this.resize()).observe(element);
  }

  show_device(number) {
    this.devices ??= [];
    this.data = this.devices[number] ??= new DeviceData(this.page.devices[number], this.page);
    const { data } = this;
    this.shown = new Uint8Array(data.rows).fill(1);
    this.shown_count = data.rows;
    this.chosen = null;
    const first = data.columns.filter((column) => column.role === "parameter").slice(0, most_axes_at_first - 2);
    if (data.outcome.values.length > 1) first.push(data.outcome);
    if (data.metric) first.push(data.metric);
    this.axes = first.map((column) => new Axis(column));
    this.colour_column = data.metric ?? data.outcome;
    this.scatter.reset();
    this.table.reset();
    this.make_bar(number);
    this.make_colours();
    this.layout();
    this.filter();
    this.details.draw();
  }

  make_bar(number) {
    const { data } = this;
    const parts = [];
    if (this.page.devices.length > 1) {
      const select = make("select", { onchange: () => this.show_device(select.selectedIndex) },
        ...this.page.devices.map(({ name }, i) => make("option", { selected: i === number }, name)));
      parts.push(make("label", {}, "Device ", select));
    }
    parts.push(column_choice("Colour", data.columns, this.colour_column, (column) => {
      this.colour_column = column;
      this.recolour();
    }));
    const boxes = data.columns.map((column) => make("label", {}, make("input", { type: "checkbox",
      checked: this.axes.some((axis) => axis.column === column), onchange: ({ target }) => this.toggle_axis(column, target.checked) }),
    ` ${column.label}`));
    parts.push(make("details", { class: "choice" }, make("summary", {}, "Axes"), make("div", {}, ...boxes)));
    parts.push(make("button", { type: "button", onclick: () => this.clear() }, "Show all"));
    parts.push(make("button", { type: "button", onclick: () => this.save() }, "Save as CSV"));
    this.bar.replaceChildren(...parts);
  }

  toggle_axis(column, wanted) {
    if (wanted) this.axes.push(new Axis(column));
    else this.axes = this.axes.filter((axis) => axis.column !== column);
    this.layout();
    this.filter();
  }

  // The button that moved it keeps the keyboard.
  move_axis(place, by) {
    const [axis] = this.axes.splice(place, 1);
    this.axes.splice(place + by, 0, axis);
    this.change_axes(place + by, by < 0 ? 0 : 1);
  }

  flip_axis(place) {
    this.axes[place].flip();
    this.change_axes(place, 2);
  }

  scale_axis(place, scale) {
    this.axes[place].range = null;
    this.axes[place].set_scale(scale);
    this.change_axes(place, 3);
  }

  change_axes(place, button) {
    this.layout();
    this.filter();
    const buttons = this.parallel.overlay.children[place].querySelectorAll("button");
    (buttons[button].disabled ? buttons[2] : buttons[button]).focus();
  }

  clear() {
    for (const axis of this.axes) axis.range = null;
    this.scatter.range = null;
    this.filter();
  }

  save() {
    const address = URL.createObjectURL(new Blob([this.table.as_csv()], { type: "text/csv" }));
    make("a", { href: address, download: `${this.page.experiment.replace("/", "_")}.csv` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
  }

  make_colours() {
    const style = getComputedStyle(this.element);
    this.colours = new Colours(this.data, this.colour_column, style);
    for (const name of ["text", "faint", "brush", "page"]) this.colours[name] = style.getPropertyValue(`--explorer-${name}`).trim();
    const swatch = (text, colour) => make("li", {}, make("i", { style: `background:${colour}` }), text);
    const entries = this.colours.legend.map(({ text, colour }) => swatch(text, colour));
    if (this.data.failed > 0 && this.colour_column !== this.data.outcome) entries.push(swatch("not correct", this.colours.failed));
    this.legend.replaceChildren(make("li", {}, `${this.colour_column.label}:`), ...entries);
  }

  recolour() {
    this.make_colours();
    this.parallel.place_lines();
    this.redraw();
  }

  layout() {
    this.width = this.element.clientWidth;
    this.parallel.layout();
    this.scatter.layout();
  }

  resize() {
    if (this.element.clientWidth === this.width) return;
    this.layout();
    this.redraw();
  }

  // What is chosen on the axes and in the scatter plot decides what is shown.
  filter() {
    const brushed = this.axes.filter((axis) => axis.range);
    this.shown_count = 0;
    for (let row = 0; row < this.data.rows; ++row) {
      let shown = !this.scatter.range || this.scatter.contains(row);
      for (let i = 0; shown && i < brushed.length; ++i) shown = brushed[i].contains(row);
      this.shown[row] = shown;
      this.shown_count += shown;
    }
    for (const axis of this.axes) axis.follow();
    this.redraw();
  }

  choose(row) {
    this.chosen = row;
    this.details.draw();
    this.table.show(row);
    this.redraw();
  }

  // Once a frame, however often something changes.
  redraw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      const begin = performance.now();
      this.parallel.draw();
      this.scatter.draw();
      this.table.draw();
      this.say_what_is_shown();
      this.element.dataset.drawnMs = (performance.now() - begin).toFixed(1);
    });
  }

  say_what_is_shown() {
    const { data } = this;
    const ranges = this.axes.filter((axis) => axis.range).map((axis) => `${axis.column.label} ${axis.range_text()}`);
    if (this.scatter.range) ranges.push("the part chosen in the scatter plot");
    const best = this.table.order.reduce((found, row) =>
      (this.shown[row] && data.correct[row] && (found === null || data.compare(row, found) < 0) ? row : found), null);
    const number = (count) => count.toLocaleString("en");
    const counted = this.shown_count === data.rows ? `${number(data.rows)} configurations`
      : `${number(this.shown_count)} of ${number(data.rows)} configurations`;
    const failed = data.failed > 0 ? `, ${number(data.failed)} of all not correct` : "";
    const more = data.left_out > 0 ? `, the best of ${number(data.rows + data.left_out)}` : "";
    const value = (row) => data.metric.text(row) + (data.metric.format === "si" ? ` ${data.metric.label}` : "");
    const first = best !== null && data.metric ? `; the best of them: ${data.label(best)} (${value(best)})` : "";
    this.status.textContent = `${counted}${more}${failed}${ranges.length ? ` (${ranges.join("; ")})` : ""}${first}`;
  }
}

async function start(element) {
  try {
    const page = await unpacked(element.querySelector("script").textContent);
    new Explorer(element, page);
    element.classList.add("started");
  } catch (error) {
    element.append(make("p", {}, "The explorer cannot be shown in this browser; the tables have the same numbers."));
    console.error(error);
  }
}

const near = new IntersectionObserver((entries) => {
  for (const { target } of entries.filter((entry) => entry.isIntersecting)) {
    near.unobserve(target);
    start(target);
  }
}, { rootMargin: "600px" });
for (const element of document.querySelectorAll(".explorer")) near.observe(element);
