// The scatter plot: a point for each configuration, a cross for one that is not correct. Points are written into the picture's
// memory, which takes 10,000 of them in about a millisecond.

const scatter_height = 320;
const scatter_left = 64, scatter_right = 14, scatter_top = 12, scatter_bottom = 258, scatter_none = 16;

// The pixels of a point, from its middle.
function disc_of(radius) {
  const pixels = [];
  for (let y = -radius; y <= radius; ++y)
    for (let x = -radius; x <= radius; ++x) if (x * x + y * y <= radius * radius + 1) pixels.push([x, y]);
  return pixels;
}

function cross_of(radius) {
  const pixels = [];
  for (let i = -radius; i <= radius; ++i) pixels.push([i, i], [i, -i], [i, i + 1], [i, 1 - i]);
  return pixels;
}

const few_points = 300;
const dot = [[0, 0], [1, 0], [0, 1], [1, 1]];

class Scatter {
  constructor(explorer) {
    this.explorer = explorer;
    this.canvas = make("canvas", { role: "img" });
    this.choices = make("div", { class: "bar" });
    this.element = make("div", { class: "scatter" }, this.choices, this.canvas);
    this.canvas.addEventListener("pointerdown", (event) => this.brush(event));
    this.range = null;  // [[x from, x to], [y from, y to]] of positions
  }

  // After another device was chosen.
  reset() {
    const { data } = this.explorer;
    const numbers = data.columns.filter((column) => column.role === "parameter");
    const y = data.metric ?? data.outcome;
    const x = numbers.find((column) => !column.values) ?? numbers[0] ?? data.columns.find((column) => column !== y) ?? y;
    [this.x, this.y] = [new Axis(x), new Axis(y)];
    this.range = null;
    this.make_choices();
  }

  make_choices() {
    const { data } = this.explorer;
    const choice = (name, label) => column_choice(label, data.columns, this[name].column, (column) => {
      this.change(() => { this[name] = new Axis(column); });
    });
    const scale = (name, label) => make("button", { type: "button", "aria-label": `${label}: ${this[name].scale}, change`,
      disabled: this[name].scales.length < 2,
      onclick: () => this.change(() => {
        const axis = this[name];
        axis.set_scale(axis.scales[(axis.scales.indexOf(axis.scale) + 1) % axis.scales.length]);
      }) }, this[name].scale);
    const swap = make("button", { type: "button", "aria-label": "swap x and y",
      onclick: () => this.change(() => { [this.x, this.y] = [this.y, this.x]; }) }, "⇄");
    this.choices.replaceChildren(choice("x", "x"), scale("x", "x"), swap, choice("y", "y"), scale("y", "y"));
  }

  change(what) {
    what();
    this.range = null;
    this.make_choices();
    this.explorer.filter();
  }

  layout() {
    this.width = Math.max(240, this.element.clientWidth);
    this.context = sized_canvas(this.canvas, this.width, scatter_height);
  }

  x_of(at) {
    const from = scatter_left + scatter_none;
    return Number.isNaN(at) ? scatter_left : from + at * (this.width - scatter_right - from);
  }

  y_of(at) {
    return Number.isNaN(at) ? scatter_bottom + scatter_none : scatter_bottom - at * (scatter_bottom - scatter_top);
  }

  contains(row) {
    const [x, y] = [this.x.positions[row], this.y.positions[row]];
    const [[left, right], [low, high]] = this.range;
    return x >= left && x <= right && y >= low && y <= high;
  }

  draw() {
    const { colours, data, shown } = this.explorer;
    const { context, canvas } = this;
    const image = context.createImageData(canvas.width, canvas.height);
    const pixels = new Uint32Array(image.data.buffer);
    const list = colours.list.map(packed), faint = packed(colours.faint);
    const radius = data.rows < few_points ? 4 : 2;
    const disc = disc_of(radius), cross = cross_of(radius + 1);
    for (const row of colours.order) if (!shown[row]) this.stamp(pixels, row, dot, faint);
    for (const row of colours.order)
      if (shown[row]) this.stamp(pixels, row, data.bad[row] ? cross : disc, list[colours.bins[row]]);
    context.putImageData(image, 0, 0);
    this.draw_axes();
    this.canvas.setAttribute("aria-label", `Scatter plot of ${this.y.column.label} against ${this.x.column.label}; ` +
      "the table has the same configurations");
  }

  stamp(pixels, row, shape, colour) {
    const { width } = this.canvas;
    const ratio = width / this.width, size = Math.round(ratio);
    const x = Math.round(this.x_of(this.x.positions[row]) * ratio), y = Math.round(this.y_of(this.y.positions[row]) * ratio);
    for (const [dx, dy] of shape)
      for (let i = 0; i < size; ++i)
        for (let j = 0; j < size; ++j) pixels[(y + dy * size + i) * width + x + dx * size + j] = colour;
  }

  draw_axes() {
    const { colours, chosen } = this.explorer;
    const { context } = this;
    context.font = "11px system-ui, sans-serif";
    context.fillStyle = colours.text;
    context.fillRect(scatter_left - 6, scatter_top, 1, scatter_bottom + scatter_none - scatter_top + 6);
    context.fillRect(scatter_left - 6, scatter_bottom + scatter_none + 6, this.width - scatter_left - scatter_right + 6, 1);
    context.textAlign = "center";
    let free = 0;
    for (const { at, text } of this.x.ticks(Math.floor(this.width / 60))) {
      const x = Math.min(this.x_of(at), this.width - context.measureText(text).width / 2);
      if (x - context.measureText(text).width / 2 < free) continue;
      free = x + context.measureText(text).width / 2 + 6;
      context.fillText(text, x, scatter_bottom + scatter_none + 20);
    }
    context.fillText(this.x.column.label, (scatter_left + this.width) / 2, scatter_height - 6);
    context.textAlign = "right";
    context.textBaseline = "middle";
    for (const { at, text } of this.y.ticks(8)) context.fillText(shortened(text, 9), scatter_left - 10, this.y_of(at));
    context.textAlign = "left";
    context.textBaseline = "alphabetic";
    if (this.range) this.draw_range();
    if (chosen === null) return;
    context.lineWidth = 2;
    context.strokeStyle = colours.text;
    context.beginPath();
    context.arc(this.x_of(this.x.positions[chosen]), this.y_of(this.y.positions[chosen]), 7, 0, 2 * Math.PI);
    context.stroke();
  }

  draw_range() {
    const { context } = this;
    const [[left, right], [low, high]] = this.range;
    const box = [this.x_of(left), this.y_of(high), this.x_of(right) - this.x_of(left), this.y_of(low) - this.y_of(high)];
    context.globalAlpha = 0.2;
    context.fillStyle = this.explorer.colours.brush;
    context.fillRect(...box);
    context.globalAlpha = 1;
    context.lineWidth = 1.5;
    context.strokeStyle = this.explorer.colours.text;
    context.strokeRect(...box);
  }

  // A drag chooses a rectangle; a click gives it up, or chooses the nearest point.
  brush(event) {
    const [x0, y0] = [event.offsetX, event.offsetY];
    let dragged = false;
    this.canvas.setPointerCapture(event.pointerId);
    const from = scatter_left + scatter_none;
    const at = (x, y) => [(x - from) / (this.width - scatter_right - from), (scatter_bottom - y) / (scatter_bottom - scatter_top)];
    const move = (now) => {
      dragged ||= Math.hypot(now.offsetX - x0, now.offsetY - y0) > 4;
      if (!dragged) return;
      const [a, b] = [at(x0, y0), at(now.offsetX, now.offsetY)];
      this.range = [0, 1].map((i) => [Math.min(a[i], b[i]), Math.max(a[i], b[i])]);
      this.explorer.filter();
    };
    const end = () => {
      this.canvas.removeEventListener("pointermove", move);
      if (dragged) return;
      const nearest = this.nearest(x0, y0);
      if (nearest === null) this.range = null;
      else this.explorer.choose(nearest);
      this.explorer.filter();
    };
    this.canvas.addEventListener("pointermove", move);
    this.canvas.addEventListener("pointerup", end, { once: true });
    this.canvas.addEventListener("pointercancel", end, { once: true });
  }

  nearest(x, y) {
    const { data, shown } = this.explorer;
    let nearest = null, least = 12;
    for (let row = 0; row < data.rows; ++row) {
      if (!shown[row]) continue;
      const distance = Math.hypot(this.x_of(this.x.positions[row]) - x, this.y_of(this.y.positions[row]) - y);
      if (distance < least) [nearest, least] = [row, distance];
    }
    return nearest;
  }
}

const shortened = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
