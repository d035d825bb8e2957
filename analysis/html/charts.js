// Draws the charts of a page from the specs in it, in the place of their static pictures, and adds what a picture cannot do:
// tooltips, zoom, and series that are chosen by a click. Which of these a chart gets is said in the "usermeta" of its
// spec (analysis/charts). Without Vega (assets/vega.js) the pictures stay.
"use strict";
(() => {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const page_colours = { "#ffffff": "#15181c" };  // of the ground: background, strokes and fillings
  const dark_colours = {
    "#222222": "#e3e6e8", "#333333": "#cfd4d9", "#444444": "#b9c0c7", "#555555": "#a7afb7", "#666666": "#9aa2aa",
    "#e6e6e6": "#333a41", "#bbbbbb": "#59626b", "#0072b2": "#56a8e8", "#8cc8ec": "#1f5f8f", "#d55e00": "#ff8a3d",
    "#b34700": "#ff9d5c", "#009e73": "#2cc79a", "#8a6d00": "#d9b13b", "#7b3294": "#c58be0", "#1b7837": "#5cc47c",
  };

  function recoloured(node, key) {
    if (typeof node === "string")
      return dark_colours[node] ?? (["background", "stroke", "fill"].includes(key) ? page_colours[node] : null) ?? node;
    if (Array.isArray(node)) return node.map((child) => recoloured(child, key));
    if (node === null || typeof node !== "object") return node;
    return Object.fromEntries(Object.entries(node).map(([name, child]) =>
      [name, name === "data" ? child : recoloured(child, name)]));
  }

  const mark_of = (view) => (typeof view.mark === "string" ? { type: view.mark } : view.mark);

  // A text stays in sight beyond the plot, and goes when a zoom moves what it belongs to out of the plot.
  function inside_tests(encoding) {
    return ["x", "y"].filter((channel) => encoding[channel]?.type === "quantitative" && encoding[channel].field)
      .map((channel) => `inrange(scale('${channel}', datum['${encoding[channel].field}']), range('${channel}'))`);
  }

  function faded(view, tests) {
    if (!tests.length) return;
    const opacity = mark_of(view).opacity ?? 1;
    view.encoding = { ...view.encoding, opacity: { condition: { test: tests.join(" && "), value: opacity }, value: opacity / 8 } };
  }

  // Points that cannot be seen, for the tooltips of a line or an area without points.
  function hover_points(view) {
    return { ...view, mark: { type: "point", filled: true, size: 80, opacity: 0 } };
  }

  // The unit views of `view`, each with what it inherits as encoding.
  function equip(view, inherited, wanted, state) {
    const encoding = { ...inherited, ...view.encoding };
    if (view.spec) equip(view.spec, encoding, wanted, state);
    if (view.layer) {
      view.layer = view.layer.flatMap((layer) => equip(layer, encoding, wanted, state));
      return [view];
    }
    if (!view.mark) return [view];
    const mark = mark_of(view);
    const chosen = wanted.series && mark.type !== "rule"
      ? [`(chosen === null || datum['${wanted.series.field}'] === chosen)`] : [];
    if (mark.type === "text") {
      if (wanted.zoom) view.mark = { ...mark, clip: false };
      const seen = wanted.zoom ? inside_tests(encoding) : [];
      faded(view, [...chosen, ...seen]);
      return [view];
    }
    if (mark.type === "rule") return [view];
    if (wanted.zoom && !state.zooms) {
      view.params = [{ name: "zoom", bind: "scales",
        select: { type: "interval", encodings: wanted.zoom, zoom: "wheel![event.ctrlKey]" } }];
      state.zooms = true;
    }
    if (mark.type === "area" && encoding.y2) {
      faded(view, chosen);
      return [view];
    }
    const hovered = { ...view.encoding, tooltip: wanted.tooltip };
    const points = ["line", "area"].includes(mark.type) && !mark.point
      ? [hover_points({ ...view, encoding: hovered, params: [] })] : [];
    if (!points.length) view.encoding = hovered;
    faded(view, chosen);
    return [view, ...points];
  }

  // [{key, name, colour}] of the series that the data have.
  function series_of(spec, wanted) {
    const { field, label, names } = wanted;
    const rows = spec.data.values.filter((row) => row[field] !== undefined && (names ? names[row[field]] : row[label] !== undefined));
    const scale = spec.encoding?.color?.scale ?? { domain: [], range: [] };
    return [...new Map(rows.map((row) => [row[field], row])).values()]
      .map((row) => ({ key: row[field], name: names ? names[row[field]] : row[label],
        colour: scale.range[scale.domain.indexOf(row[field])] }))
      .sort((a, b) => (names ? 0 : a.key - b.key));
  }

  function legend_of(series, choose) {
    const list = document.createElement("ul");
    list.className = "series";
    const buttons = new Map();
    for (const { key, name, colour } of series) {
      const button = document.createElement("button");
      const swatch = document.createElement("i");
      swatch.style.background = colour;
      button.type = "button";
      button.append(swatch, name);
      button.addEventListener("click", () => choose(key));
      buttons.set(key, button);
      const item = document.createElement("li");
      item.append(button);
      list.append(item);
    }
    const show = (chosen) => buttons.forEach((button, key) => button.setAttribute("aria-pressed", String(key === chosen)));
    show(null);
    return { list, show };
  }

  function add_legend(figure, view, spec, wanted) {
    const series = series_of(spec, wanted);
    if (series.length < 2) return;
    const choose = (key) => {
      const chosen = view.signal("chosen") === key ? null : key;
      view.signal("chosen", chosen).run();
      legend.show(chosen);
    };
    const legend = legend_of(series, choose);
    figure.querySelector(".series")?.remove();
    figure.querySelector(".plot").after(legend.list);
    view.addEventListener("click", (event, item) => {
      const key = item?.datum?.[wanted.field];
      if (series.some((one) => one.key === key)) choose(key);
    });
  }

  // On a narrow screen a chart of one plot is as wide as that where its labels leave room; others scroll sideways.
  function fitted(spec, width) {
    const letter = 6.5;
    const leaves_room = (row) => String(row.label ?? "").length * letter < width / 2;
    const is_one = typeof spec.width === "number" && !spec.facet && !spec.encoding?.row && !spec.encoding?.column;
    if (width >= 640 || !is_one || !spec.data?.values?.every(leaves_room)) return spec;
    const config = { ...spec.config, title: { ...spec.config?.title, frame: "bounds", limit: width - 24 },
      legend: { ...spec.config?.legend, columns: 1 } };
    return { ...spec, width, autosize: { type: "fit-x", contains: "padding" }, config };
  }

  function equipped(text, width) {
    const parsed = fitted(JSON.parse(text), width);
    const spec = dark.matches ? recoloured(parsed) : parsed;
    const wanted = spec.usermeta ?? {};
    if (wanted.series) spec.params = [{ name: "chosen", value: null }];
    equip(spec, {}, wanted, { zooms: false });
    return spec;
  }

  async function draw(figure) {
    try {
      const spec = equipped(figure.querySelector("script").textContent, figure.clientWidth);
      const place = document.createElement("div");
      figure.querySelector(".plot").replaceChildren(place);
      const { view } = await vegaEmbed(place, spec,
        { mode: "vega-lite", actions: false, renderer: "svg", tooltip: { theme: dark.matches ? "dark" : "light" } });
      for (const marks of place.querySelectorAll("[role=graphics-symbol]:not([aria-label])")) marks.setAttribute("aria-hidden", "true");
      if (spec.usermeta?.series) add_legend(figure, view, spec, spec.usermeta.series);
      figure.classList.add("drawn");
      figure.classList.toggle("wide", place.parentElement.scrollWidth > place.parentElement.clientWidth);
    } catch (error) {
      figure.classList.remove("drawn");
      figure.querySelector(".plot").textContent = "";
      console.error(error);
    }
  }

  function add_hint(figure) {
    const { zoom } = JSON.parse(figure.querySelector("script").textContent).usermeta ?? {};
    if (zoom) figure.querySelector("figcaption").append(" · drag to move, Ctrl and wheel to zoom, double click to undo");
  }

  if (typeof vegaEmbed === "undefined") return;
  const figures = [...document.querySelectorAll(".chart")];
  const near = new IntersectionObserver((entries) => {
    for (const { target } of entries.filter((entry) => entry.isIntersecting)) {
      near.unobserve(target);
      draw(target);
    }
  }, { rootMargin: "400px" });
  for (const figure of figures) {
    add_hint(figure);
    near.observe(figure);
  }
  dark.addEventListener("change", () => figures.filter((figure) => figure.classList.contains("drawn")).forEach(draw));
})();
