// The drawing of parallel coordinates, with brushes on its axes.

import { el } from "../dom.js";
import { colour, onTheme } from "../theme.js";
import { scale } from "./scale.js";
import { mapped, css } from "./palette.js";
import { fitted } from "./plot.js";

const [TOP, FOOT, LEAST] = [38, 44, 86];

/** `set({axes: [{axis, values, goal}], number, value, direction, text})`; `brushed(rows)` receives the remaining lines. */
export class Lines {
  constructor({ picked, brushed }) {
    Object.assign(this, { picked, brushed });
    this.canvas = el("canvas", {
      class: "plot parallel",
      role: "img",
      "aria-label": "Chart without data yet",
      tabindex: "0",
      vars: { "--plot-height": "380px" },
    });
    this.tip = el("div", { class: "tip", hidden: true });
    this.node = el(
      "div",
      { class: "scroll plain", tabindex: "0", role: "region", "aria-label": "Parallel coordinates" },
      el("div", { class: "plot-box" }, this.canvas, this.tip),
    );
    this.brushes = new Map();
    new ResizeObserver(() => this.redraw()).observe(this.canvas);
    const end = onTheme(() => (this.canvas.isConnected ? this.redraw() : end()));
    this.canvas.addEventListener("pointerdown", (event) => this.press(event));
    this.canvas.addEventListener("pointermove", (event) => this.move(event));
    this.canvas.addEventListener("pointerup", (event) => this.release(event));
    this.canvas.addEventListener("pointerleave", () => this.leave());
  }

  set(data) {
    this.data = data;
    this.canvas.style.minWidth = `${data.axes.length * LEAST}px`;
    this.canvas.setAttribute(
      "aria-label",
      `Parallel coordinates of ${data.number.length} trials over ${data.axes.map((a) => a.axis.label).join(", ")}. Brush by numbers below.`,
    );
    this.changed();
  }

  axes() {
    return this.data.axes;
  }

  index(label) {
    return this.data.axes.findIndex((a) => a.axis.label === label);
  }

  brush(i) {
    return this.brushes.get(this.data.axes[i].axis.label) ?? null;
  }

  setBrush(i, part) {
    const { label } = this.data.axes[i].axis;
    if (part)
      this.brushes.set(
        label,
        [...part].sort((a, b) => a - b),
      );
    else this.brushes.delete(label);
    this.changed();
  }

  clear() {
    this.brushes.clear();
    this.changed();
  }

  changed() {
    const { axes, number } = this.data;
    const tests = axes.map(({ axis, values }) => ({ part: this.brushes.get(axis.label), axis, values })).filter((t) => t.part);
    this.kept = number.map((_, i) => i).filter((i) => tests.every((t) => inside(t, i)));
    this.brushed(this.kept);
    this.redraw();
  }

  redraw() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      if (this.data && this.canvas.clientWidth) this.paint();
    });
  }

  lay() {
    const [width, height] = [this.canvas.clientWidth, this.canvas.clientHeight];
    const n = this.data.axes.length;
    this.xs = this.data.axes.map((_, i) => (n === 1 ? width / 2 : 44 + (i * (width - 88)) / (n - 1)));
    this.bottom = height - FOOT;
    this.scales = this.data.axes.map(({ axis }) => scale(axis, this.bottom, TOP));
  }

  // Lines pass below the axes of inactive parameters.
  place(i, row) {
    const v = this.data.axes[i].values[row];
    const y = v === null || v === undefined ? NaN : this.scales[i].map(v);
    return Number.isFinite(y) ? Math.min(this.bottom, Math.max(TOP, y)) : this.bottom + 22;
  }

  paint() {
    const { canvas } = this;
    const ratio = Math.min(3, devicePixelRatio || 1);
    canvas.width = Math.round(canvas.clientWidth * ratio);
    canvas.height = Math.round(canvas.clientHeight * ratio);
    const context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.font = `11.5px ${colour("font")}`;
    this.lay();
    const kept = new Set(this.kept);
    const ranks = this.ranks();
    context.lineWidth = 1;
    context.globalAlpha = 0.5;
    context.strokeStyle = colour("faint");
    this.data.number.forEach((_, row) => kept.has(row) || this.trace(context, row));
    context.globalAlpha = Math.max(0.25, Math.min(0.8, 120 / Math.max(1, kept.size)));
    for (const row of [...this.kept].sort((a, b) => ranks[a] - ranks[b])) {
      context.strokeStyle = ranks[row] < 0 ? colour("faint") : css(mapped("viridis", colour("dark") === "1" ? 0.15 + 0.85 * ranks[row] : 0.92 * (1 - ranks[row])));
      context.lineWidth = ranks[row] > 0.98 ? 2 : 1;
      this.trace(context, row);
    }
    context.globalAlpha = 1;
    this.drawAxes(context);
    if (this.near != null) this.highlight(context);
  }

  // Lines are coloured by rank, 1 for the best, so that outliers do not dominate; −1 for none.
  ranks() {
    const { value, direction } = this.data;
    const order = value
      .map((_, i) => i)
      .filter((i) => value[i] !== null)
      .sort((a, b) => (direction === "minimize" ? value[b] - value[a] : value[a] - value[b]));
    const ranks = value.map(() => -1);
    order.forEach((row, i) => (ranks[row] = order.length > 1 ? i / (order.length - 1) : 1));
    return ranks;
  }

  trace(context, row) {
    context.beginPath();
    this.xs.forEach((x, i) => context.lineTo(x, this.place(i, row)));
    context.stroke();
  }

  drawAxes(context) {
    this.data.axes.forEach(({ axis }, i) => {
      const x = this.xs[i];
      context.strokeStyle = colour("muted");
      context.lineWidth = 1.5;
      context.beginPath();
      context.moveTo(x, TOP);
      context.lineTo(x, this.bottom);
      context.stroke();
      context.textAlign = "center";
      context.fillStyle = colour("text");
      context.fillText(axis.label.length > 13 ? `${axis.label.slice(0, 12)}…` : axis.label, x, 16);
      context.fillStyle = colour("muted");
      context.textAlign = "left";
      const room = (this.xs[1] - this.xs[0] || 100) - 14;
      for (const tick of this.scales[i].ticks(5)) haloed(context, fitted(context, tick.label, room), x + 6, this.scales[i].map(tick.value) + 4);
      this.drawBrush(context, i, x);
    });
    if (this.data.axes.some((a) => a.values.some((v) => v === null))) {
      context.textAlign = "left";
      context.fillText("below an axis: inactive, or no value", 2, this.bottom + 38);
    }
  }

  drawBrush(context, i, x) {
    const part = this.brush(i);
    if (!part) return;
    const [a, b] = part.map((v) =>
      this.data.axes[i].axis.type === "category"
        ? this.bottom + (v * (TOP - this.bottom)) / this.data.axes[i].axis.categories.length
        : Math.min(this.bottom, Math.max(TOP, this.scales[i].map(v))),
    );
    context.fillStyle = colour("veil");
    context.fillRect(x - 10, Math.min(a, b), 20, Math.abs(b - a));
    context.strokeStyle = colour("accent");
    context.strokeRect(x - 10, Math.min(a, b), 20, Math.abs(b - a));
  }

  highlight(context) {
    context.strokeStyle = colour("text");
    context.lineWidth = 2.5;
    this.trace(context, this.near);
  }

  at(event) {
    const bounds = this.canvas.getBoundingClientRect();
    return [event.clientX - bounds.left, event.clientY - bounds.top];
  }

  axisAt(x) {
    return this.xs?.findIndex((at) => Math.abs(at - x) < 16) ?? -1;
  }

  press(event) {
    const [x, y] = this.at(event);
    const axis = this.axisAt(x);
    if (axis >= 0) this.drag = { axis, from: y };
  }

  move(event) {
    const [x, y] = this.at(event);
    if (this.drag)
      return this.setBrush(
        this.drag.axis,
        [this.drag.from, y].map((p) => this.invert(this.drag.axis, p)),
      );
    this.hover(x, y);
  }

  // Choices are brushed by position.
  invert(i, y) {
    const { axis } = this.data.axes[i];
    const inside = Math.min(this.bottom, Math.max(TOP, y));
    return axis.type === "category"
      ? ((this.bottom - inside) / (this.bottom - TOP)) * axis.categories.length
      : this.scales[i].invert(inside);
  }

  release(event) {
    const [, y] = this.at(event);
    if (this.drag && Math.abs(y - this.drag.from) < 4) this.setBrush(this.drag.axis, null);
    else if (!this.drag && this.near != null) this.picked(this.data.number[this.near]);
    this.drag = null;
  }

  hover(x, y) {
    const i = this.xs ? this.xs.findIndex((at) => at > x) : -1;
    let [near, least] = [null, 7];
    if (i > 0) {
      const t = (x - this.xs[i - 1]) / (this.xs[i] - this.xs[i - 1]);
      for (const row of this.kept) {
        const d = Math.abs(this.place(i - 1, row) * (1 - t) + this.place(i, row) * t - y);
        if (d < least) [near, least] = [row, d];
      }
    }
    if (near === this.near) return;
    this.near = near;
    this.tip.hidden = near === null;
    if (near !== null) {
      this.tip.textContent = this.data.text(near);
      this.tip.style.transform = `translate(${Math.round(Math.min(x, this.canvas.clientWidth - 160))}px, ${Math.round(Math.max(0, y - 40))}px)`;
    }
    this.redraw();
  }

  leave() {
    this.near = null;
    this.tip.hidden = true;
    this.redraw();
  }
}

function inside({ part, axis, values }, i) {
  const v = values[i];
  if (v === null || v === undefined) return false;
  // Lines off the scale run along its ends.
  const shown = Math.min(axis.domain?.[1], Math.max(axis.domain?.[0], v));
  if (axis.type !== "category") return shown >= part[0] && shown <= part[1];
  const at = axis.categories.findIndex((c) => c === v) + 0.5;
  return at >= part[0] && at <= part[1];
}

function haloed(context, text, x, y) {
  context.save();
  context.strokeStyle = colour("card");
  context.lineWidth = 3;
  context.strokeText(text, x, y);
  context.restore();
  context.fillText(text, x, y);
}
