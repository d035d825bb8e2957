// Parallel coordinates: an axis for each chosen column, a line for each configuration. Lines between two axes that would
// lie on one another are drawn once, in the colour of the best, so that the time it takes depends on pixels, not on rows.

const axis_gap = 118;
const parallel_height = 330, parallel_top = 66, parallel_bottom = 286, none_y = 312;  // explorer.css has them, too

class Parallel {
  constructor(explorer) {
    this.explorer = explorer;
    this.canvas = make("canvas", { role: "img" });
    this.canvas.addEventListener("click", (event) => this.choose(event));
    this.overlay = make("div", { class: "axes" });
    this.stage = make("div", { class: "stage" }, this.canvas, this.overlay);
    this.element = make("div", { class: "parallel" }, this.stage);
    this.behind = document.createElement("canvas");  // all lines, faint
    this.seen = new Uint8Array(parallel_height * parallel_height);
  }

  // After axes came, went or moved.
  layout() {
    const { axes } = this.explorer;
    this.width = Math.max(this.element.clientWidth, axes.length * axis_gap);
    this.gap = this.width / axes.length;
    this.stage.style.width = `${this.width}px`;
    this.context = sized_canvas(this.canvas, this.width, parallel_height);
    this.canvas.setAttribute("aria-label", `Parallel coordinates of ${axes.map((axis) => axis.column.label).join(", ")}`);
    this.overlay.replaceChildren(...axes.map((axis, place) => this.axis_element(axis, place)));
    this.place_lines();
  }

  x_of(place) {
    return (place + 0.5) * this.gap;
  }

  y_of(at) {
    return Number.isNaN(at) ? none_y : parallel_bottom - at * (parallel_bottom - parallel_top);
  }

  // After values moved on an axis, and when the colours of the page changed.
  place_lines() {
    const { axes, data, colours } = this.explorer;
    this.rows_y = axes.map((axis) => Uint16Array.from(axis.positions, (at) => Math.round(this.y_of(at))));
    const context = sized_canvas(this.behind, this.width, parallel_height);
    context.lineWidth = 1;
    this.draw_lines(context, new Uint8Array(data.rows).fill(1), () => 0, [colours.faint]);
  }

  draw_lines(context, chosen, bin_of, list) {
    for (let place = 0; place + 1 < this.rows_y.length; ++place)
      this.draw_between(context, place, chosen, bin_of, list);
  }

  draw_between(context, place, chosen, bin_of, list) {
    const [left, right] = [this.rows_y[place], this.rows_y[place + 1]];
    const { order } = this.explorer.colours;
    const keys = [];
    for (const row of order) {
      if (!chosen[row]) continue;
      const key = left[row] * parallel_height + right[row];
      if (this.seen[key] === 0) keys.push(key);
      this.seen[key] = bin_of(row) + 1;
    }
    const by_bin = list.map(() => []);
    for (const key of keys) {
      by_bin[this.seen[key] - 1].push(key);
      this.seen[key] = 0;
    }
    const [x0, x1] = [this.x_of(place), this.x_of(place + 1)];
    by_bin.forEach((bin, number) => {
      context.strokeStyle = list[number];
      for (let from = 0; from < bin.length; from += 100) {
        context.beginPath();
        for (const key of bin.slice(from, from + 100)) {
          context.moveTo(x0, Math.floor(key / parallel_height));
          context.lineTo(x1, key % parallel_height);
        }
        context.stroke();
      }
    });
  }

  draw() {
    const { colours, shown, shown_count, data, chosen } = this.explorer;
    const { context } = this;
    context.clearRect(0, 0, this.width, parallel_height);
    context.drawImage(this.behind, 0, 0, this.width, parallel_height);
    context.lineWidth = shown_count > data.rows / 4 && data.rows > 200 ? 1 : 1.5;
    this.draw_lines(context, shown, (row) => colours.bins[row], colours.list);
    this.draw_axes();
    if (chosen === null) return;
    context.lineWidth = 3;
    context.strokeStyle = colours.text;
    context.beginPath();
    this.rows_y.forEach((rows, place) => context.lineTo(this.x_of(place), rows[chosen]));
    context.stroke();
  }

  draw_axes() {
    const { axes, colours } = this.explorer;
    const { context } = this;
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "middle";
    axes.forEach((axis, place) => {
      const x = this.x_of(place);
      context.fillStyle = colours.text;
      context.fillRect(x - 0.5, parallel_top, 1, parallel_bottom - parallel_top);
      const ticks = axis.ticks(9);
      if (axis.positions.some((at) => Number.isNaN(at))) ticks.push({ at: NaN, text: "none" });
      for (const { at, text } of ticks) this.draw_tick(x, this.y_of(at), text);
      if (!axis.range) return;
      const [top, bottom] = [this.y_of(axis.range[1]) - 3, this.y_of(axis.range[0]) + 3];
      context.globalAlpha = 0.35;
      context.fillStyle = colours.brush;
      context.fillRect(x - 8, top, 16, bottom - top);
      context.globalAlpha = 1;
      context.lineWidth = 1.5;
      context.strokeStyle = colours.text;
      context.strokeRect(x - 8, top, 16, bottom - top);
    });
  }

  draw_tick(x, y, text) {
    const { context } = this;
    const { colours } = this.explorer;
    const most = Math.floor((this.gap - 14) / 6);
    const words = text.length > most ? `${text.slice(0, most - 1)}…` : text;
    context.lineWidth = 3;
    context.strokeStyle = colours.page;
    context.strokeText(words, x + 10, y);
    context.fillStyle = colours.text;
    context.fillText(words, x + 10, y);
    context.fillRect(x - 3, y - 0.5, 6, 1);
  }

  // The nearest line where the pointer is.
  choose(event) {
    const { axes, shown, data } = this.explorer;
    if (axes.length < 2) return;
    const place = Math.max(0, Math.min(axes.length - 2, Math.floor(event.offsetX / this.gap - 0.5)));
    const share = (event.offsetX - this.x_of(place)) / this.gap;
    let nearest = null, least = 8;
    for (let row = 0; row < data.rows; ++row) {
      if (!shown[row]) continue;
      const y = this.rows_y[place][row] * (1 - share) + this.rows_y[place + 1][row] * share;
      const distance = Math.abs(y - event.offsetY);
      if (distance < least) [nearest, least] = [row, distance];
    }
    if (nearest !== null) this.explorer.choose(nearest);
  }

  axis_element(axis, place) {
    const { explorer } = this;
    const { label } = axis.column;
    const button = (text, what, does, disabled = false) =>
      make("button", { type: "button", title: what, "aria-label": `${label}: ${what}`, disabled, onclick: does }, text);
    const next_scale = axis.scales[(axis.scales.indexOf(axis.scale) + 1) % axis.scales.length];
    const last = place + 1 === explorer.axes.length;
    const bar = make("div", { class: "axis-bar" },
      button("◀", "to the left", () => explorer.move_axis(place, -1), place === 0),
      button("▶", "to the right", () => explorer.move_axis(place, 1), last),
      button("⇅", "upside down", () => explorer.flip_axis(place)));
    if (axis.scales.length > 1)
      bar.append(button(axis.scale.replace("linear", "lin"), `${axis.scale}; make it ${next_scale}`, () => explorer.scale_axis(place, next_scale)));
    const strip = make("div", { class: "strip" });
    const sliders = [0, 1].map((end) => this.slider(axis, end));
    strip.addEventListener("pointerdown", (event) => this.brush(axis, strip, event));
    const element = make("div", { class: "axis", role: "group", "aria-label": label },
      make("div", { class: "axis-name", title: label }, label), bar, strip, ...sliders.map(({ handle }) => handle));
    element.style.left = `${place * this.gap}px`;
    element.style.width = `${this.gap}px`;
    axis.follow = () => sliders.forEach(({ follow }) => follow());
    axis.follow();
    return element;
  }

  // What the keyboard moves one end of the range with.
  slider(axis, end) {
    const stops = axis.stops.length;
    const handle = make("div", { class: `handle handle-${end ? "to" : "from"}`, role: "slider", tabindex: 0,
      "aria-orientation": "vertical", "aria-label": `${axis.column.label}, ${end ? "upper" : "lower"} end`,
      "aria-valuemin": 0, "aria-valuemax": Math.max(0, stops - 1) });
    const stop_of = () => {
      if (!axis.range) return end ? stops - 1 : 0;
      const inside = axis.stops.findIndex(({ at }) => at >= axis.range[0] - 1e-6);
      return end ? axis.stops.findLastIndex(({ at }) => at <= axis.range[1] + 1e-6) : inside < 0 ? stops - 1 : inside;
    };
    const follow = () => {
      const stop = Math.max(0, stop_of());
      handle.style.top = `${this.y_of(axis.range ? axis.range[end] : end)}px`;
      handle.setAttribute("aria-valuenow", stop);
      handle.setAttribute("aria-valuetext", axis.column.value_text(axis.stops[stop]?.value ?? NaN));
    };
    const large = Math.max(1, Math.round(stops / 10));
    const steps = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1, PageUp: large, PageDown: -large, Home: -stops, End: stops };
    handle.addEventListener("keydown", (event) => {
      if (event.key === "Escape") axis.range = null;
      else if (event.key in steps) this.move_end(axis, end, Math.max(0, Math.min(stops - 1, stop_of() + steps[event.key])));
      else return;
      event.preventDefault();
      this.explorer.filter();
    });
    return { handle, follow };
  }

  move_end(axis, end, stop) {
    const range = axis.range ?? [0, 1];
    range[end] = axis.stops[stop].at;
    if (range[0] > range[1]) range[1 - end] = range[end];
    const whole = range[0] <= axis.stops[0].at && range[1] >= axis.stops[axis.stops.length - 1].at;
    axis.range = whole ? null : range;
  }

  // A drag chooses a part of the axis, or moves the part that is chosen; a click gives it up.
  brush(axis, strip, event) {
    const at_of = (move) => {
      const y = move.clientY - strip.getBoundingClientRect().top + parallel_top;
      return Math.max(0, Math.min(1, (parallel_bottom - y) / (parallel_bottom - parallel_top)));
    };
    const start = at_of(event), before = axis.range;
    const moves = before && start >= before[0] && start <= before[1];
    let dragged = false;
    strip.setPointerCapture(event.pointerId);
    const move = (now) => {
      const at = at_of(now);
      dragged ||= Math.abs(now.clientY - event.clientY) > 3;
      if (!dragged) return;
      const by = moves ? Math.max(-before[0], Math.min(1 - before[1], at - start)) : 0;
      axis.range = moves ? [before[0] + by, before[1] + by] : [Math.min(start, at), Math.max(start, at)];
      this.explorer.filter();
    };
    const end = () => {
      strip.removeEventListener("pointermove", move);
      if (!dragged) axis.range = null;
      this.explorer.filter();
    };
    strip.addEventListener("pointermove", move);
    strip.addEventListener("pointerup", end, { once: true });
    strip.addEventListener("pointercancel", end, { once: true });
    event.preventDefault();
  }
}
