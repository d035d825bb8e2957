// The table of what is chosen. It has the rows that can be seen, however many there are.

const row_height = 28, rows_seen = 12;

class Table {
  constructor(explorer) {
    this.explorer = explorer;
    this.head = make("thead");
    this.body = make("tbody");
    this.grid = make("table", { role: "grid", tabindex: 0, "aria-label": "Configurations; arrow keys choose one" }, this.head, this.body);
    this.space = make("div", { class: "rows" }, this.grid);
    this.element = make("div", { class: "grid" }, this.space);
    this.element.addEventListener("scroll", () => this.draw_rows());
    this.grid.addEventListener("keydown", (event) => this.key(event));
    this.sorted_by = null;
    this.downwards = false;
  }

  reset() {
    const { data } = this.explorer;
    this.columns = data.columns.filter((column) => !["interval from", "interval to", "kernel"].includes(column.label));
    this.sorted_by = null;
    this.order = Uint32Array.from({ length: data.rows }, (none, row) => row).sort((a, b) => data.compare(a, b));
    this.make_head();
    this.element.style.height = `${row_height * (Math.min(rows_seen, data.rows) + 1) + 18}px`;
    this.element.scrollTop = 0;
  }

  make_head() {
    const heading = (column) => {
      const sorted = column === this.sorted_by ? (this.downwards ? "descending" : "ascending") : null;
      const button = make("button", { type: "button", onclick: () => this.sort(column) }, column.label);
      return make("th", { scope: "col", "aria-sort": sorted, class: column.values ? "" : "number" }, button);
    };
    const row = make("tr", { "aria-rowindex": 1 }, ...this.columns.map(heading));
    this.head.replaceChildren(row);
  }

  // Rows without a value stay last.
  sort(column) {
    this.downwards = column === this.sorted_by && !this.downwards;
    this.sorted_by = column;
    const sign = this.downwards ? -1 : 1;
    const { numbers } = column;
    this.order.sort((a, b) => Number.isNaN(numbers[a]) - Number.isNaN(numbers[b]) || sign * (numbers[a] - numbers[b]) || a - b);
    this.make_head();
    this.draw();
  }

  draw() {
    const { shown, shown_count } = this.explorer;
    this.rows = this.order.filter((row) => shown[row]);
    const beyond = shown_count > rows_seen ? 20 : 0;  // so that the last row can be scrolled to
    this.space.style.height = `${row_height * (shown_count + 1) + beyond}px`;
    this.grid.setAttribute("aria-rowcount", shown_count + 1);
    this.draw_rows();
  }

  draw_rows() {
    const { chosen, data } = this.explorer;
    const first = Math.max(0, Math.min(this.rows.length - rows_seen, Math.floor(this.element.scrollTop / row_height)));
    const cell = (column, row) => make("td", { class: column.values ? "" : "number", title: column.values ? column.text(row) : null },
      column.text(row));
    const lines = [];
    for (let place = first; place < Math.min(this.rows.length, first + rows_seen); ++place) {
      const row = this.rows[place];
      lines.push(make("tr", { id: `${this.explorer.id}-row-${row}`, "aria-rowindex": place + 2, "aria-selected": String(row === chosen),
        class: data.bad[row] ? "failed" : "", onclick: () => this.explorer.choose(row) },
      ...this.columns.map((column) => cell(column, row))));
    }
    this.body.replaceChildren(...lines);
    const there = lines.some((line) => line.getAttribute("aria-selected") === "true");
    if (there) this.grid.setAttribute("aria-activedescendant", `${this.explorer.id}-row-${chosen}`);
    else this.grid.removeAttribute("aria-activedescendant");
  }

  key(event) {
    if (event.target !== this.grid || !this.rows.length) return;
    const place = this.rows.indexOf(this.explorer.chosen);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: rows_seen, PageUp: -rows_seen, Home: -this.rows.length, End: this.rows.length };
    if (!(event.key in steps)) return;
    event.preventDefault();
    this.explorer.choose(this.rows[Math.max(0, Math.min(this.rows.length - 1, place + steps[event.key]))]);
  }

  show(row) {
    const place = this.rows.indexOf(row);
    if (place < 0) return this.draw_rows();
    const first = Math.floor(this.element.scrollTop / row_height);
    if (place < first || place >= first + rows_seen)
      this.element.scrollTop = row_height * Math.max(0, place - Math.floor(rows_seen / 2));
    this.draw_rows();
  }

  as_csv() {
    const field = (text) => (/[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);
    const lines = [["configuration", ...this.columns.map((column) => column.label)]];
    for (const row of this.rows)
      lines.push([this.explorer.data.names[row], ...this.columns.map((column) => column.raw_text(row))]);
    return lines.map((line) => line.map(field).join(",") + "\n").join("");
  }
}
