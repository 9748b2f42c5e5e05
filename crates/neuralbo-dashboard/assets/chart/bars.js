// Bars over time: a lane for each trial that a worker runs at the same time.

import { el } from "../dom.js";
import { duration, moment, workerName } from "../format.js";
import { colour, onTheme } from "../theme.js";
import { scale, padded } from "./scale.js";
import { STATES } from "./palette.js";

const ROW = 26;
const NAME = 150;

/** `set({bars, workers, span, now})`; `picked(number)` is called on clicks. */
export class Bars {
  constructor({ picked }) {
    this.picked = picked;
    this.canvas = el("canvas", { class: "plot", role: "img", "aria-label": "Chart without data yet" });
    this.tip = el("div", { class: "tip", hidden: true });
    this.node = el(
      "div",
      { class: "viewport short", tabindex: "0", role: "region", "aria-label": "Timeline of workers" },
      el("div", { class: "plot-box" }, this.canvas, this.tip),
    );
    new ResizeObserver(() => this.redraw()).observe(this.canvas);
    const end = onTheme(() => (this.canvas.isConnected ? this.redraw() : end()));
    this.canvas.addEventListener("pointermove", (event) => this.move(event));
    this.canvas.addEventListener("pointerleave", () => (this.tip.hidden = true));
    this.canvas.addEventListener("click", (event) => {
      const bar = this.hit(event);
      if (bar) this.picked(bar.number);
    });
  }

  set(data) {
    this.data = data;
    this.lanes = lanes(data);
    const rows = Math.max(1, this.lanes.names.length);
    this.canvas.style.setProperty("--plot-height", `${rows * ROW + 40}px`);
    this.canvas.setAttribute("aria-label", `${data.bars.length} trials of ${data.workers.length} workers in ${rows} lanes over time; listed in the table below.`);
    this.redraw();
  }

  redraw() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      if (this.data && this.canvas.clientWidth) this.paint();
    });
  }

  paint() {
    const { canvas, data } = this;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    const ratio = Math.min(3, devicePixelRatio || 1);
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    const context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.font = `12px ${colour("font")}`;
    const left = Math.min(NAME, width * 0.3);
    const last = data.bars.reduce((t, b) => Math.max(t, b.end ?? data.now), 0);
    const first = data.span ? last - data.span : data.bars.reduce((t, b) => Math.min(t, b.start), Infinity);
    const sx = scale({ type: "time", domain: padded([first, last], false, 0.01) }, left, width - 10);
    this.grid(context, sx, left, width, height);
    this.shapes = [];
    context.save();
    context.beginPath();
    context.rect(left, 0, width, height);
    context.clip();
    for (const bar of data.bars) this.bar(context, bar, sx, this.lanes.of.get(bar), left);
    context.restore();
    context.fillStyle = colour("text");
    context.textBaseline = "middle";
    this.lanes.names.forEach((w, i) => context.fillText(cut(context, w, left - 10), 0, i * ROW + ROW / 2));
  }

  grid(context, sx, left, width, height) {
    context.strokeStyle = colour("grid");
    context.fillStyle = colour("muted");
    context.textAlign = "center";
    context.textBaseline = "top";
    for (const tick of sx.ticks((width - left) / 90)) {
      const x = Math.round(sx.map(tick.value)) + 0.5;
      context.beginPath();
      context.moveTo(x, 0);
      context.lineTo(x, height - 24);
      context.stroke();
      context.fillText(tick.label, Math.min(x, width - 20), height - 18);
    }
    context.textAlign = "left";
  }

  bar(context, bar, sx, row, left) {
    const x = Math.max(left - 2, sx.map(bar.start));
    const end = sx.map(bar.end ?? this.data.now);
    if (end < left) return;
    const shape = { x, y: row * ROW + 5, w: Math.max(2, end - x - 0.5), h: ROW - 10, bar };
    context.fillStyle = colour(STATES[bar.state].colour);
    context.globalAlpha = bar.state === "running" ? 0.55 : 0.9;
    context.fillRect(shape.x, shape.y, shape.w, shape.h);
    context.globalAlpha = 1;
    if (bar.state === "failed" && shape.w > 4) {
      context.strokeStyle = colour("card");
      context.lineWidth = 1.5;
      context.beginPath();
      context.moveTo(shape.x + 1, shape.y + shape.h - 1);
      context.lineTo(shape.x + Math.min(shape.w, shape.h) - 1, shape.y + 1);
      context.stroke();
    }
    this.shapes.push(shape);
  }

  hit(event) {
    const bounds = this.canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - bounds.left, event.clientY - bounds.top];
    this.pointer = [x, y];
    return this.shapes?.findLast((s) => x >= s.x - 2 && x <= s.x + s.w + 2 && y >= s.y - 4 && y <= s.y + s.h + 4)?.bar;
  }

  move(event) {
    const bar = this.hit(event);
    this.tip.hidden = !bar;
    this.canvas.classList.toggle("opens", Boolean(bar));
    if (!bar) return;
    const tries = bar.attempt > 1 ? `, attempt ${bar.attempt}` : "";
    this.tip.textContent = `trial ${bar.number}: ${bar.state}${tries}\n${bar.worker}\n${moment(bar.start)}, ${bar.end ? duration(bar.end - bar.start) : "running"}`;
    const [x, y] = this.pointer;
    this.tip.style.transform = `translate(${Math.round(Math.max(0, Math.min(x, this.canvas.clientWidth - this.tip.offsetWidth)))}px, ${Math.round(y + 14)}px)`;
  }
}

// The first lane of its worker that is free when a trial starts.
function lanes({ bars, workers, now }) {
  const [names, of] = [[], new Map()];
  for (const worker of workers) {
    const ends = [];
    for (const bar of bars.filter((b) => b.worker === worker).sort((a, b) => a.start - b.start)) {
      const free = ends.findIndex((end) => end <= bar.start);
      const lane = free < 0 ? ends.length : free;
      ends[lane] = bar.end ?? now;
      of.set(bar, names.length + lane);
    }
    names.push(...ends.map((_, i) => (i ? "" : workerName(worker))));
  }
  return { names, of };
}

function cut(context, text, width) {
  let shown = text;
  while (shown.length > 3 && context.measureText(shown).width > width) shown = `${shown.slice(0, -2)}…`.replace("……", "…");
  return shown;
}
