// What is stored of the configuration that is chosen.

class Details {
  constructor(explorer) {
    this.explorer = explorer;
    this.element = make("section", { class: "details", tabindex: 0, "aria-label": "The chosen configuration", "aria-live": "polite" });
  }

  draw() {
    const { data, chosen } = this.explorer;
    if (chosen === null) {
      this.element.replaceChildren(make("p", { class: "quiet" },
        "Choose a configuration: click on a line, a point or a row, or use the arrow keys in the table."));
      return;
    }
    const detail = data.details.values[data.details.codes[chosen]];
    this.element.replaceChildren(
      make("h4", {}, data.label(chosen) || data.names[chosen]),
      make("p", {}, make("code", {}, data.names[chosen])),
      make("p", {}, ...this.outcome(detail)),
      ...this.samples(),
      ...this.explanation(),
      ...this.facts("Results", ["metric", "result"]),
      ...this.facts("Resources and waves", ["resource"]),
      ...this.facts("Counters", ["counter"]),
      ...this.build());
  }

  outcome(detail) {
    const { data, chosen } = this.explorer;
    const outcome = make("strong", { class: data.bad[chosen] ? "failed" : "" }, data.outcome.text(chosen));
    return detail ? [outcome, `: ${detail.split("\n")[0]}`] : [outcome];
  }

  // The median is that of the column of times.
  samples() {
    const { data, chosen } = this.explorer;
    const samples = data.samples[chosen];
    const median = this.median();
    if (!samples || Number.isNaN(median)) return [];
    const time_of = (part) => median * (1 + part / 1e4);
    const times = samples.parts.map(time_of);
    const [low, high] = [time_of(samples.low), time_of(samples.high)];
    const text = (time) => format_number("time", "", time);
    const drawn = times.length < samples.count ? ` (${times.length} of them drawn)` : "";
    const words = `${samples.count} samples${drawn}, ${text(low)} to ${text(high)}, median ${text(median)}`;
    return [make("h5", {}, "Samples"), strip_plot(times, median, low, high, words), make("p", { class: "quiet" }, words)];
  }

  median() {
    const { data, chosen } = this.explorer;
    const column = data.columns.find((one) => one.label === "median time") ?? (data.metric?.format === "time" ? data.metric : null);
    return column ? column.numbers[chosen] : NaN;
  }

  explanation() {
    const { data, chosen } = this.explorer;
    const text = data.explained[chosen];
    if (text) return [make("h5", {}, "Why the best is faster"), make("p", {}, ...with_code(text))];
    if (!data.correct[chosen]) return [];
    const command = `tailwave explain best '${this.arguments()}' --experiment ${data.experiment} --device '${data.name}'`;
    return [make("h5", {}, "Why the best is faster"), make("p", {}, make("code", {}, command), " says it of this one.")];
  }

  arguments() {
    const { data, chosen } = this.explorer;
    return data.columns.filter((column) => column.role === "parameter" && column.text(chosen) !== "")
      .map((column) => `${column.label}=${column.raw_text(chosen)}`).join(",");
  }

  facts(title, roles) {
    const { data, chosen } = this.explorer;
    const shown = data.columns.filter((column) => roles.includes(column.role) && column.text(chosen) !== "")
      .map((column) => [column.label, column.text(chosen)]);
    return shown.length ? [make("h5", {}, title), list_of(shown)] : [];
  }

  build() {
    const { data, chosen } = this.explorer;
    const options = data.options.values[data.options.codes[chosen]];
    const own = data.columns.filter((column) => column.role === "parameter" && column.text(chosen) !== "")
      .map((column) => [column.label, column.raw_text(chosen)]);
    const built = options ? [make("h5", {}, "Built for, by and with"), make("p", {}, make("code", {}, options))] : [];
    return [...built, make("h5", {}, "Defined"), list_of(own),
      ...(data.constant.length ? [make("h5", {}, "As all here"), list_of(data.constant)] : [])];
  }
}

// What stands between backticks is a command.
const with_code = (text) => text.split("`").map((part, i) => (i % 2 ? make("code", {}, part) : part));

const list_of = (pairs) => make("dl", {}, ...pairs.map(([name, text]) => make("div", {}, make("dt", {}, name), make("dd", {}, text))));

// A tick for each sample, in the order in which they were taken, and a line at the median.
function strip_plot(times, median, low, high, words) {
  const [width, height, margin] = [300, 44, 8];
  const x_of = (time) => (high > low ? margin + (time - low) / (high - low) * (width - 2 * margin) : width / 2);
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const add = (tag, attributes) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    svg.append(element);
  };
  for (const [name, value] of Object.entries({ viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": words, class: "strip-plot" }))
    svg.setAttribute(name, value);
  add("line", { x1: x_of(median), x2: x_of(median), y1: 2, y2: height - 2, class: "median" });
  times.forEach((time, i) => add("circle", { cx: x_of(time), cy: 6 + (i + 0.5) / times.length * (height - 12), r: 3 }));
  return svg;
}
