// A plot on a canvas: axes, layers, hover, drag to zoom, keyboard navigation.

import { el, announce } from "../dom.js";
import { value as shown } from "../format.js";
import { colour, onTheme } from "../theme.js";
import { scale } from "./scale.js";
import { draw, mark } from "./layers.js";

const NEAR = 24;

/**
 * `plot.set({x, y, layers, label})`: axes as `scale` takes them, layers as `layers.js` draws them. A layer with `targets`
 * (one `{text, more, open}` per point) supports hover, arrow keys, and opening by click or Enter.
 */
export class Plot {
  constructor({ height = 280, compact = false } = {}) {
    this.compact = compact;
    this.canvas = el("canvas", {
      class: "plot",
      role: "img",
      tabindex: "0",
      "aria-label": "Chart without data yet",
      vars: { "--plot-height": `${height}px` },
    });
    this.tip = el("div", { class: "tip", hidden: true });
    this.node = el("div", { class: "plot-box" }, this.canvas, this.tip);
    this.zoom = null;
    this.current = -1;
    this.watch();
  }

  watch() {
    const { canvas } = this;
    this.sizes = new ResizeObserver(() => this.redraw());
    this.sizes.observe(canvas);
    this.endTheme = onTheme(() => this.redraw());
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerleave", (event) => event.pointerType === "touch" || this.hide());
    canvas.addEventListener("pointerdown", (event) => this.press(event));
    canvas.addEventListener("pointerup", (event) => this.release(event));
    canvas.addEventListener("dblclick", () => this.zoomTo(null));
    canvas.addEventListener("keydown", (event) => this.key(event));
    canvas.addEventListener("blur", () => this.hide());
  }

  set(spec) {
    this.spec = spec;
    this.canvas.setAttribute("aria-label", spec.label ?? "Chart");
    this.redraw();
  }

  redraw() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = null;
      if (this.canvas.isConnected) this.paint();
      else if (this.seen) this.dispose();
    });
  }

  // There is no unload event: a plot that has left the page stops observing.
  dispose() {
    this.sizes.disconnect();
    this.endTheme();
  }

  paint() {
    const { canvas, spec } = this;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (!spec || width < 20 || height < 20) return;
    this.seen = true;
    const ratio = Math.min(3, devicePixelRatio || 1);
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    const context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.font = `${this.compact ? 10.5 : 12}px ${colour("font")}`;
    this.lay(context, width, height);
    this.drawAxes(context);
    for (const layer of spec.layers) this.drawLayer(context, layer);
    this.collect();
    this.canvas.drawn = this;
    this.drawCurrent(context);
    this.drawDrag(context);
  }

  // Marks at the edge are whole; all else is cut there.
  drawLayer(context, layer) {
    const { left, right, top, bottom } = this.box;
    context.save();
    context.beginPath();
    context.rect(left - 1, top - 1, right - left + 2, bottom - top + 2);
    if (layer.kind !== "points") context.clip();
    draw(context, layer, this);
    context.restore();
  }

  lay(context, width, height) {
    const { spec, compact } = this;
    this.axes = { x: { ...spec.x, ...(this.zoom?.x ?? {}) }, y: { ...spec.y, ...(this.zoom?.y ?? {}) } };
    const top = compact ? 8 : 12;
    // Labels of choices that do not fit beside each other take two rows.
    const choices = this.axes.x.type === "category" ? this.axes.x.categories : [];
    const wide = Math.max(0, ...choices.map((c) => context.measureText(short(shown(c))).width));
    this.stagger = choices.length > 1 && wide + 6 > (width - 60) / choices.length;
    const bottom = height - (this.stagger ? 13 : 0) - (spec.x.label && !spec.x.quiet ? (compact ? 34 : 42) : 24);
    const yTicks = scale(this.axes.y, bottom, top).ticks(Math.max(3, (bottom - top) / (compact ? 26 : 36)));
    const widest = Math.max(18, ...yTicks.map((t) => context.measureText(short(t.label)).width));
    const left = Math.min(width * 0.4, widest + 12 + (spec.y.label && !spec.y.quiet ? (compact ? 14 : 20) : 0));
    this.box = { left, right: width - 12, top, bottom };
    this.sx = scale(this.axes.x, left, this.box.right);
    this.sy = scale(this.axes.y, bottom, top);
    this.yTicks = yTicks;
    const room = { category: 70, log: 62 }[this.axes.x.type] ?? 78;
    this.xTicks = this.sx.ticks(Math.max(2, (this.box.right - left) / room));
  }

  drawAxes(context) {
    const { box, spec, compact } = this;
    context.lineWidth = 1;
    context.strokeStyle = colour("grid");
    context.fillStyle = colour("muted");
    context.textBaseline = "middle";
    context.textAlign = "right";
    // What is drawn, and where, for the tests.
    this.labels = { x: [], y: [] };
    for (const tick of this.yTicks) {
      const y = Math.round(this.sy.map(tick.value)) + 0.5;
      stroke(context, box.left, y, box.right, y);
      const [text, right] = [short(tick.label), box.left - 7];
      context.fillText(text, right, y);
      this.labels.y.push({ text, left: right - context.measureText(text).width, right, row: y });
    }
    context.textBaseline = "top";
    context.textAlign = "center";
    const ends = [-Infinity, -Infinity];
    for (const [i, tick] of this.xTicks.entries()) {
      const row = this.stagger ? i % 2 : 0;
      const x = Math.round(this.sx.map(tick.value)) + 0.5;
      stroke(context, x, box.top, x, box.bottom);
      const label = fitted(context, short(tick.label), (this.sx.band ?? Infinity) * (this.stagger ? 2 : 1) - 4);
      const half = context.measureText(label).width / 2;
      const at = Math.min(Math.max(x, half), box.right + 12 - half);
      if (at - half > ends[row] + 3) {
        context.fillText(label, at, box.bottom + 6 + 13 * row);
        ends[row] = at + half;
        this.labels.x.push({ text: label, left: at - half, right: at + half, row });
      }
    }
    context.fillStyle = colour("text");
    if (spec.x.label && !spec.x.quiet)
      context.fillText(fitted(context, spec.x.label, box.right - box.left), (box.left + box.right) / 2, box.bottom + (compact ? 20 : 25) + (this.stagger ? 13 : 0));
    if (spec.y.label && !spec.y.quiet) {
      context.save();
      context.translate(compact ? 2 : 4, (box.top + box.bottom) / 2);
      context.rotate(-Math.PI / 2);
      context.fillText(fitted(context, spec.y.label, box.bottom - box.top), 0, 0);
      context.restore();
    }
    context.textAlign = "left";
    context.textBaseline = "alphabetic";
  }

  // All hover targets, in pixels.
  collect() {
    this.targets = [];
    for (const layer of this.spec.layers) {
      if (!layer.targets) continue;
      for (let i = 0; i < layer.x.length; i += 1) {
        const { left, right, top, bottom } = this.box;
        const [x, y] = [this.sx.map(layer.x[i]), this.sy.map(layer.y[i])];
        const inside = !this.zoom || (x >= left - 1 && x <= right + 1);
        if (layer.y[i] === null || !inside || !Number.isFinite(x) || !Number.isFinite(y)) continue;
        const [across, up] = [Math.min(right, Math.max(left, x)), Math.min(bottom, Math.max(top, y))];
        this.targets.push({ x: across + (layer.shift?.[i] ?? 0), y: up + (layer.lift?.[i] ?? 0), layer, i });
      }
    }
  }

  at(event) {
    const bounds = this.canvas.getBoundingClientRect();
    return [event.clientX - bounds.left, event.clientY - bounds.top];
  }

  nearest([px, py]) {
    let [best, distance] = [-1, NEAR * NEAR];
    this.targets?.forEach((t, i) => {
      const d = (t.x - px) ** 2 + (t.y - py) ** 2;
      if (d <= distance) [best, distance] = [i, d];
    });
    return best;
  }

  move(event) {
    if (event.pointerType === "touch") return;
    const at = this.at(event);
    if (this.drag) {
      this.drag.to = at;
      this.redraw();
      return;
    }
    this.show(this.nearest(at));
  }

  press(event) {
    if (event.button !== 0 || event.pointerType === "touch") return;
    const at = this.at(event);
    this.drag = { from: at, to: at };
  }

  release(event) {
    const drag = this.drag;
    this.drag = null;
    const at = this.at(event);
    const [dx, dy] = drag ? [Math.abs(at[0] - drag.from[0]), Math.abs(at[1] - drag.from[1])] : [0, 0];
    if (dx < 6 && dy < 6) {
      return this.tap(this.nearest(at), event.pointerType === "touch");
    }
    if (this.spec.fixed) return this.redraw();
    const along = (s, axis, a, b) => (axis.type === "category" ? {} : { domain: [s.invert(a), s.invert(b)].sort((p, q) => p - q) });
    this.zoomTo({
      x: dx > 12 ? along(this.sx, this.axes.x, drag.from[0], at[0]) : {},
      y: dy > 12 ? along(this.sy, this.axes.y, drag.from[1], at[1]) : {},
    });
  }

  // Touch has no hover: the first tap shows the tooltip, the second opens the trial.
  tap(hit, byTouch) {
    if (hit < 0) return this.hide();
    if (byTouch && hit !== this.current) this.show(hit);
    else this.open(hit);
  }

  zoomTo(zoom) {
    this.zoom = zoom;
    this.spec?.zoomed?.(zoom);
    this.node.classList.toggle("zoomed", Boolean(zoom));
    this.hide();
    this.redraw();
  }

  key(event) {
    const count = this.targets?.length ?? 0;
    const steps = { ArrowRight: 1, ArrowLeft: -1, PageDown: 20, PageUp: -20 };
    if (event.key === "Escape") this.zoomTo(null);
    else if (event.key === "Enter" && this.current >= 0) this.open(this.current);
    else if (count && event.key in steps) {
      event.preventDefault();
      this.order ??= this.targets.map((_, i) => i);
      if (this.order.length !== count) this.order = this.targets.map((_, i) => i);
      this.order.sort((a, b) => this.targets[a].x - this.targets[b].x);
      const now = this.order.indexOf(this.current);
      const next = this.order[Math.min(count - 1, Math.max(0, now + steps[event.key]))];
      this.show(next);
      announce(this.tip.textContent);
    }
  }

  open(i) {
    const { layer, i: at } = this.targets[i];
    layer.targets[at]?.open?.();
  }

  show(i) {
    if (i === this.current) return;
    this.current = i;
    if (i < 0) return this.hide();
    const target = this.targets[i];
    const text = target.layer.targets[target.i]?.text ?? "";
    this.say(target, text);
    this.canvas.classList.toggle("opens", Boolean(target.layer.targets[target.i]?.open));
    // What has to be fetched follows, if the reader is still there.
    target.layer.targets[target.i]?.more?.().then((more) => more && i === this.current && this.say(target, `${text}\n${more}`));
    this.redraw();
  }

  say(target, text) {
    this.tip.textContent = text;
    this.tip.hidden = false;
    const width = this.tip.offsetWidth;
    const left = Math.min(Math.max(0, target.x - width / 2), this.canvas.clientWidth - width);
    const above = target.y - this.tip.offsetHeight - 12;
    this.tip.style.transform = `translate(${Math.round(left)}px, ${Math.round(above < -30 ? target.y + 14 : above)}px)`;
  }

  hide() {
    this.current = -1;
    this.tip.hidden = true;
    this.canvas.classList.remove("opens");
    this.redraw();
  }

  drawCurrent(context) {
    const target = this.targets[this.current];
    if (!target) return;
    context.strokeStyle = colour("text");
    context.lineWidth = 2;
    mark(context, "circle", target.x, target.y, 6.5);
    context.stroke();
  }

  drawDrag(context) {
    if (!this.drag || this.spec.fixed) return;
    const { from, to } = this.drag;
    context.fillStyle = colour("veil");
    context.fillRect(from[0], from[1], to[0] - from[0], to[1] - from[1]);
  }
}

function stroke(context, x1, y1, x2, y2) {
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x2, y2);
  context.stroke();
}

function short(label) {
  return label.length > 16 ? `${label.slice(0, 15)}…` : label;
}

/** A text cut to a width. */
export function fitted(context, text, width) {
  if (context.measureText(text).width <= width) return text;
  let length = text.length;
  while (length > 1 && context.measureText(`${text.slice(0, length)}…`).width > width) length -= 1;
  return length > 1 ? `${text.slice(0, length)}…` : text.slice(0, 1);
}
