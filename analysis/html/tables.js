// Tables: a click on a heading sorts by its column, a field filters the rows of long ones, and buttons copy the table, those
// rows that are shown, as Markdown, CSV or LaTeX.
"use strict";
(() => {
  const sizes = { T: 1e12, G: 1e9, M: 1e6, k: 1e3, s: 1, ms: 1e-3, us: 1e-6, ns: 1e-9, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 };

  // "430.8 us" -> 4.308e-4, "1155 G/s" -> 1.155e12, "95 %" -> 95; NaN for what does not begin with a number.
  function number_of(text) {
    const found = /^([+-]?[\d.]+(?:e[+-]?\d+)?)(?:\s*(KiB|MiB|GiB|ms|us|ns|[TGMks])(?![A-Za-z0-9_]))?/.exec(text);
    return found ? Number(found[1]) * (sizes[found[2]] ?? 1) : NaN;
  }

  const text_of = (cell) => cell.textContent.trim();

  // Numbers before text; cells without content are last whatever the direction.
  function compare(a, b, direction) {
    if (a.text === "" || b.text === "") return (a.text === "") - (b.text === "");
    if (isNaN(a.number) !== isNaN(b.number)) return direction * (isNaN(a.number) - isNaN(b.number));
    const by_number = isNaN(a.number) ? 0 : a.number - b.number;
    return direction * (by_number || a.text.localeCompare(b.text, "en", { numeric: true }));
  }

  function sort_by(table, heading) {
    const direction = heading.getAttribute("aria-sort") === "ascending" ? -1 : 1;
    const column = heading.cellIndex;
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row) => {
      const text = text_of(row.cells[column]);
      return { row, text, number: number_of(text) };
    });
    rows.sort((a, b) => compare(a, b, direction));
    body.append(...rows.map((entry) => entry.row));
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", direction === 1 ? "ascending" : "descending");
  }

  function make_sortable(table) {
    for (const heading of table.tHead.rows[0].cells) {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...heading.childNodes);
      button.addEventListener("click", () => sort_by(table, heading));
      heading.append(button);
    }
  }

  const is_right = (cell) => cell.getAttribute("align") === "right";

  function cells_of(table) {
    return [...table.rows].filter((row) => !row.hidden).map((row) => [...row.cells].map((cell) => text_of(cell).replace(/\s+/g, " ")));
  }

  function as_markdown(table) {
    const escaped = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
    const line = (cells) => `| ${cells.join(" | ")} |`;
    const rows = cells_of(table).map((cells) =>
      line(cells.map((text) => text.replace(/[&<>]/g, (c) => escaped[c]).replace(/[\\|*`[\]]/g, "\\$&"))));
    const rule = line([...table.rows[0].cells].map((cell) => (is_right(cell) ? "---:" : "---")));
    return [rows[0], rule, ...rows.slice(1)].join("\n") + "\n";
  }

  function as_csv(table) {
    const field = (text) => (/[",]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);
    return cells_of(table).map((cells) => cells.map(field).join(",") + "\n").join("");
  }

  function as_latex(table) {
    const commands = { "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}",
      "<": "\\textless{}", ">": "\\textgreater{}", "|": "\\textbar{}" };
    const escape = (text) => text.replace(/[\\~^<>|&%$#_{}]/g, (c) => commands[c] ?? `\\${c}`);
    const rows = cells_of(table).map((cells) => `${cells.map(escape).join(" & ")} \\\\`);
    const columns = [...table.rows[0].cells].map((cell) => (is_right(cell) ? "r" : "l")).join("");
    return [`\\begin{tabular}{${columns}}`, "\\hline", rows[0], "\\hline", ...rows.slice(1), "\\hline", "\\end{tabular}", ""]
      .join("\n");
  }

  // Browsers that keep the clipboard from pages opened from disk still copy what is selected.
  function copy_selected(text) {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    const copied = document.execCommand("copy");
    area.remove();
    return copied;
  }

  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      return copy_selected(text);
    }
  }

  function add_copy_buttons(box, table) {
    const bar = document.createElement("div");
    bar.className = "copy";
    bar.append("Copy as");
    for (const [name, text] of [["Markdown", as_markdown], ["CSV", as_csv], ["LaTeX", as_latex]]) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = name;
      button.addEventListener("click", async () => {
        const copied = await copy(text(table));
        button.textContent = copied ? "copied" : "not copied";
        setTimeout(() => { button.textContent = name; }, 1500);
      });
      bar.append(button);
    }
    box.before(bar);
    return bar;
  }

  // Rows stay that have every word of the field in them.
  function add_filter(bar, table) {
    const field = document.createElement("input");
    field.type = "search";
    field.placeholder = "Filter rows";
    field.setAttribute("aria-label", "Filter rows");
    field.addEventListener("input", () => {
      const words = field.value.toLowerCase().split(/\s+/).filter((word) => word);
      for (const row of table.tBodies[0].rows) {
        const text = row.textContent.toLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
      }
    });
    bar.prepend(field);
  }

  const long_text = 40;
  const rows_to_filter = 8;

  for (const box of document.querySelectorAll(".table")) {
    const table = box.querySelector("table");
    const bar = add_copy_buttons(box, table);
    if (!table.tBodies.length) continue;
    if (table.tBodies[0].rows.length >= rows_to_filter) add_filter(bar, table);
    make_sortable(table);
    for (const cell of table.querySelectorAll("td")) cell.classList.toggle("long", text_of(cell).length > long_text);
  }
})();
