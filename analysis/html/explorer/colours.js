// The colour of each row: a bin in a list of colours. Bin 0 is for rows that are not correct, 1 for those without a value.

const ramp_bins = 10;
const failed_bin = 0, none_bin = 1, first_bin = 2;

class Colours {
  constructor(data, column, style) {
    this.column = column;
    this.axis = new Axis(column);
    const colour = (name) => style.getPropertyValue(name).trim();
    this.failed = colour("--explorer-failed");
    this.list = [this.failed, colour("--explorer-none")];
    const scale = column.values ? this.categories(colour) : this.ramp(colour, column === data.metric && !data.maximise);
    this.bins = new Uint8Array(data.rows);
    for (let row = 0; row < data.rows; ++row) {
      const shown_as_failed = data.bad[row] && column !== data.outcome;
      this.bins[row] = shown_as_failed ? failed_bin : scale(row);
    }
    // Rows in the order of drawing: what is best comes last.
    this.order = Uint32Array.from({ length: data.rows }, (none, row) => row).sort((a, b) => -data.compare(a, b));
  }

  categories(colour) {
    const most = 8;
    for (let i = 0; i < Math.min(most, this.column.values.length); ++i) this.list.push(colour(`--explorer-category-${i}`));
    this.legend = this.column.values.slice(0, most).map((text, i) => ({ text, colour: this.list[first_bin + i] }));
    if (this.column.values.length > most) this.legend.push({ text: "others", colour: this.list[none_bin] });
    return (row) => {
      const place = this.column.numbers[row];
      return place < most ? first_bin + place : none_bin;
    };
  }

  ramp(colour, reversed) {
    const from = colour("--explorer-weak"), to = colour("--explorer-strong");
    for (let i = 0; i < ramp_bins; ++i) this.list.push(mixed(from, to, i / (ramp_bins - 1)));
    const { low, high } = this.axis;
    const ends = reversed ? [high, low] : [low, high];
    this.legend = [{ text: this.column.value_text(ends[0]), colour: from }, { text: this.column.value_text(ends[1]), colour: to }];
    return (row) => {
      const at = this.axis.positions[row];
      if (Number.isNaN(at)) return none_bin;
      return first_bin + Math.min(ramp_bins - 1, Math.floor((reversed ? 1 - at : at) * ramp_bins));
    };
  }
}

const rgb = (text) => [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16));

function mixed(from, to, share) {
  const [a, b] = [rgb(from), rgb(to)];
  return `#${a.map((value, i) => Math.round(value + share * (b[i] - value)).toString(16).padStart(2, "0")).join("")}`;
}

// As a canvas keeps it in memory, opaque.
function packed(text) {
  const [red, green, blue] = rgb(text);
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}
