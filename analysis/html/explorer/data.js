// The data of an explorer, as harness/report/explorer.h has them, in typed arrays.

async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text.trim()), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

const si_prefixes = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""]];
const time_units = [[1, "s"], [1e-3, "ms"], [1e-6, "us"], [1e-9, "ns"]];

const short = (value) => String(Number(value.toPrecision(4)));

function scaled(value, units) {
  const [size, name] = units.find(([size]) => Math.abs(value) >= size) ?? units[units.length - 1];
  return `${short(value / size)} ${name}`.trim();
}

function format_number(format, unit, value) {
  if (Number.isNaN(value)) return "";
  if (format === "time") return scaled(value, time_units);
  if (format === "si") return scaled(value, si_prefixes);
  if (format === "share") return `${short(100 * value)} %`;
  return unit ? `${short(value)} ${unit}` : short(value);
}

// One quantity of all rows. Of texts `numbers` are their places in `values`; NaN: the row has none.
class Column {
  constructor(raw) {
    Object.assign(this, { label: raw.label, role: raw.role, format: raw.format, unit: raw.unit ?? "" });
    if (raw.data) {
      this.numbers = Float64Array.from(raw.data, (value) => value ?? NaN);
      return;
    }
    // Variants stay in the order of the experiment.
    const order = [...raw.values.keys()];
    if (raw.label !== "variant")
      order.sort((a, b) => raw.values[a].localeCompare(raw.values[b], "en", { numeric: true }));
    const places = new Float64Array(order.length);
    order.forEach((code, place) => { places[code] = place; });
    this.values = order.map((code) => raw.values[code]);
    this.numbers = Float64Array.from(raw.codes, (code) => (code < 0 ? NaN : places[code]));
  }

  value_text(number) {
    if (Number.isNaN(number)) return "";
    return this.values ? this.values[number] : format_number(this.format, this.unit, number);
  }

  text(row) {
    return this.value_text(this.numbers[row]);
  }

  // For a spreadsheet: all digits that are there.
  raw_text(row) {
    const number = this.numbers[row];
    return Number.isNaN(number) ? "" : this.values ? this.values[number] : String(number);
  }
}

// The configurations of one device.
class DeviceData {
  constructor(raw, page) {
    Object.assign(this, raw);
    this.experiment = page.experiment;
    this.maximise = page.maximise;
    this.columns = raw.columns.map((column) => new Column(column));
    this.metric = this.columns.find((column) => column.role === "metric") ?? null;
    this.outcome = this.columns.find((column) => column.role === "outcome");
    // Code of another configuration has that one's results: no failure.
    const good = ["correct", "unverified", "skipped_identical"].map((name) => this.outcome.values.indexOf(name));
    this.correct = Uint8Array.from(this.outcome.numbers, (value) => Number(good.slice(0, 2).includes(value)));
    this.bad = Uint8Array.from(this.outcome.numbers, (value) => Number(!good.includes(value)));
    this.failed = this.bad.reduce((sum, one) => sum + one, 0);
  }

  // Of several columns with the row's words for them: "tuned, BLOCK_SIZE 128".
  label(row) {
    return this.columns.filter((column) => column.role === "parameter" && column.text(row) !== "")
      .map((column) => (column.label === "variant" ? column.text(row) : `${column.label} ${column.text(row)}`)).join(", ");
  }

  // The better one of two rows; those without a value are the worst.
  compare(a, b) {
    const values = this.metric?.numbers;
    if (!values || (Number.isNaN(values[a]) && Number.isNaN(values[b]))) return a - b;
    if (Number.isNaN(values[a]) || Number.isNaN(values[b])) return Number.isNaN(values[a]) - Number.isNaN(values[b]);
    return this.maximise ? values[b] - values[a] : values[a] - values[b];
  }
}
