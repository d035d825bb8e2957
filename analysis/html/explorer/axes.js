// Axes: where a column's values stand, from 0 to 1, which part of them is chosen, and where its labels are.

const few_values = 16;

class Axis {
  constructor(column) {
    this.column = column;
    this.flipped = false;
    this.range = null;  // [from, to] of positions
    this.distinct = [...new Set(column.numbers)].filter((value) => !Number.isNaN(value)).sort((a, b) => a - b);
    this.low = this.distinct[0] ?? 0;
    this.high = this.distinct[this.distinct.length - 1] ?? 0;
    this.scales = column.values ? ["even"] : this.low > 0 ? ["even", "linear", "log"] : ["even", "linear"];
    const wide = this.low > 0 && this.high > 100 * this.low;
    const steps = ["parameter", "resource"].includes(column.role) && this.distinct.length <= few_values;
    this.set_scale(column.values || steps ? "even" : wide ? "log" : "linear");
  }

  set_scale(scale) {
    this.scale = scale;
    this.place_rows();
  }

  flip() {
    this.flipped = !this.flipped;
    if (this.range) this.range = [1 - this.range[1], 1 - this.range[0]];
    this.place_rows();
  }

  position(value) {
    if (Number.isNaN(value)) return NaN;
    let share = 0.5;
    if (this.distinct.length > 1) {
      if (this.scale === "even") share = this.ranks.get(value) / (this.distinct.length - 1);
      else if (this.scale === "log") share = Math.log(value / this.low) / Math.log(this.high / this.low);
      else share = (value - this.low) / (this.high - this.low);
    }
    return this.flipped ? 1 - share : share;
  }

  place_rows() {
    this.ranks ??= new Map(this.distinct.map((value, rank) => [value, rank]));
    this.positions = Float32Array.from(this.column.numbers, (value) => this.position(value));
    // Where a range may begin and end, upwards.
    this.stops = this.distinct.map((value) => ({ value, at: this.position(value) })).sort((a, b) => a.at - b.at);
  }

  contains(row) {
    const at = this.positions[row];
    return at >= this.range[0] - 1e-6 && at <= this.range[1] + 1e-6;
  }

  // [{at, text}], at most about `most`.
  ticks(most) {
    if (this.scale === "even") {
      const every = Math.ceil(this.distinct.length / most);
      return this.distinct.filter((value, rank) => rank % every === 0).map((value) => this.tick(value));
    }
    const values = this.scale === "log" ? this.log_values(most) : this.linear_values(most);
    return values.map((value) => this.tick(value));
  }

  tick(value) {
    return { at: this.position(value), text: this.column.value_text(value) };
  }

  linear_values(most) {
    const rough = (this.high - this.low) / most;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough);
    const values = [];
    for (let i = Math.ceil(this.low / step); i * step <= this.high; ++i) values.push(i * step);
    return values;
  }

  log_values(most) {
    for (const factors of [[1, 2, 5], [1, 3], [1]]) {
      const values = [];
      for (let power = Math.floor(Math.log10(this.low)); 10 ** power <= this.high; ++power)
        values.push(...factors.map((factor) => factor * 10 ** power).filter((value) => value >= this.low && value <= this.high));
      if (values.length <= most && values.length > 1) return values;
    }
    return [this.low, this.high];
  }

  // Words for the part that is chosen.
  range_text() {
    const inside = this.stops.filter(({ at }) => at >= this.range[0] - 1e-6 && at <= this.range[1] + 1e-6);
    if (!inside.length) return "nothing";
    const [from, to] = [inside[0], inside[inside.length - 1]].map(({ value }) => this.column.value_text(value));
    return from === to ? from : `${from} to ${to}`;
  }
}

// An element with attributes and children.
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

// A choice of columns.
function column_choice(label, columns, chosen, changed) {
  const select = make("select", { onchange: () => changed(columns[select.selectedIndex]) },
    ...columns.map((column) => make("option", { selected: column === chosen }, column.label)));
  return make("label", {}, `${label} `, select);
}

// Makes a canvas as sharp as the screen; returns what draws on it in CSS pixels.
function sized_canvas(canvas, width, height) {
  const ratio = Math.min(window.devicePixelRatio || 1, 2);
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d");
  context.scale(ratio, ratio);
  return context;
}
