// A plot with heading, legend, controls and a data table.

import { el, put, button, table } from "../dom.js";
import { num, value, count } from "../format.js";
import { colour, onTheme } from "../theme.js";
import { Plot } from "./plot.js";
import { mark } from "./layers.js";

const ROWS = 200;
let unique = 0;

/**
 * A figure around a plot. `figure.set(spec)` takes what a plot takes and `columns` for the table: `[{name, values}]`;
 * `legend`: `[{name, colour, shape}]`; `note`: a sentence below.
 */
export class Figure {
  constructor(title, { height, compact, controls = [], level = 2 } = {}) {
    this.title = title;
    this.plot = new Plot({ height, compact });
    this.legend = el("ul", { class: "legend" });
    this.note = el("p", { class: "note" });
    this.rows = el("div", { hidden: true });
    this.toggle = button("Table", () => this.turn(), { class: "small", "aria-pressed": "false" });
    this.toggle.setAttribute("aria-label", `${title}: show as a table`);
    this.back = button("Reset zoom", () => this.plot.zoomTo(null), { class: "small unzoom" });
    const id = `figure-${(unique += 1)}`;
    this.heading = el(`h${level}`, { id }, title);
    this.node = el(
      "figure",
      { class: `figure${compact ? " compact" : ""}`, "aria-labelledby": id },
      el("div", { class: "figure-head" }, this.heading, el("div", { class: "tools" }, controls, this.back, this.toggle)),
      this.plot.node,
      this.rows,
      this.legend,
      this.note,
    );
    this.plot.node.append(this.back);
  }

  set(spec) {
    this.spec = spec;
    this.plot.set({
      ...spec,
      label: `${this.title}. ${spec.summary ?? ""} Arrow keys step through the points; the Table button shows the data.`,
    });
    put(this.legend, [...(spec.legend ?? []), ...offScale(spec)].map(entry));
    this.note.textContent = spec.note ?? "";
    if (!this.rows.hidden) this.fill();
  }

  turn() {
    const shown = this.rows.hidden;
    this.rows.hidden = !shown;
    this.plot.node.hidden = shown;
    this.toggle.setAttribute("aria-pressed", String(shown));
    if (shown) this.fill();
    else this.plot.redraw();
  }

  fill() {
    const columns = this.spec?.columns ?? [];
    const length = Math.max(0, ...columns.map((c) => c.values.length));
    const rows = [];
    for (let i = 0; i < Math.min(length, ROWS); i += 1)
      rows.push(columns.map((c) => (typeof c.values[i] === "number" ? num(c.values[i], 6) : value(c.values[i]))));
    const heads = columns.map((c) => ({ text: c.name, number: typeof c.values[0] === "number" }));
    put(
      this.rows,
      table(this.title, heads, rows),
      length > ROWS ? el("p", { class: "note" }, `The first ${ROWS} of ${count(length)} rows.`) : null,
    );
  }
}

// Points outside the axes are small arrows at the edge.
function offScale({ x, y, layers }) {
  const outside = (axis, v) => axis.type !== "category" && typeof v === "number" && (v < axis.domain[0] || v > axis.domain[1]);
  const off = (layer) => layer.y.filter((v, i) => v !== null && (outside(y, v) || outside(x, layer.x[i]))).length;
  const beyond = layers.filter((layer) => layer.kind === "points" && !layer.unseen).reduce((sum, layer) => sum + off(layer), 0);
  return beyond ? [{ name: `${count(beyond)} off the scale, at the edge`, colour: "muted", shape: "triangle" }] : [];
}

/** An entry of a legend. */
export function entry({ name, colour: tone, shape = "line" }) {
  return el("li", {}, swatch(tone, shape), name);
}

function swatch(tone, shape) {
  const canvas = el("canvas", { class: "swatch", width: 36, height: 24, "aria-hidden": "true" });
  const paint = () => {
    const context = canvas.getContext("2d");
    context.setTransform(2, 0, 0, 2, 0, 0);
    context.clearRect(0, 0, 18, 12);
    context.fillStyle = context.strokeStyle = tone.startsWith("#") || tone.startsWith("rgb") ? tone : colour(tone);
    context.lineWidth = 2;
    if (shape === "line") {
      context.fillRect(1, 5, 16, 2.4);
    } else if (shape === "band") {
      context.globalAlpha = 0.3;
      context.fillRect(1, 1, 16, 10);
    } else {
      mark(context, shape, 9, 6, 4);
      if (shape === "cross") context.stroke();
      else context.fill();
    }
  };
  paint();
  const end = onTheme(() => (canvas.isConnected ? paint() : end()));
  return canvas;
}
