// Layers of a plot: each kind draws its columns with the plot's scales.

import { colour } from "../theme.js";
import { mapped, css } from "./palette.js";

const isNumber = (v) => typeof v === "number" && Number.isFinite(v);
const tone = (name) => (name && !name.startsWith("#") && !name.startsWith("rgb") ? colour(name) : name);

/** Draws one layer. */
export function draw(context, layer, plot) {
  context.save();
  KINDS[layer.kind](context, layer, plot);
  context.restore();
}

const KINDS = { points, line, band, rule, bars, errors, area, heat, contours };

/** The path of one mark. */
export function mark(context, shape, x, y, r) {
  context.beginPath();
  if (shape === "cross") {
    context.moveTo(x - r, y - r);
    context.lineTo(x + r, y + r);
    context.moveTo(x + r, y - r);
    context.lineTo(x - r, y + r);
  } else if (shape === "triangle") {
    context.moveTo(x, y - r * 1.2);
    context.lineTo(x + r * 1.1, y + r * 0.9);
    context.lineTo(x - r * 1.1, y + r * 0.9);
    context.closePath();
  } else if (shape === "square") {
    context.rect(x - r * 0.9, y - r * 0.9, r * 1.8, r * 1.8);
  } else if (shape === "star") {
    for (let i = 0; i < 10; i += 1) {
      const [a, q] = [(i * Math.PI) / 5 - Math.PI / 2, i % 2 ? r * 0.45 : r];
      context.lineTo(x + q * Math.cos(a), y + q * Math.sin(a));
    }
    context.closePath();
  } else {
    context.arc(x, y, r, 0, 2 * Math.PI);
  }
}

function points(context, layer, { sx, sy, box, zoom }) {
  if (layer.unseen) return;
  const r = layer.size ?? 3;
  const shape = layer.shape ?? "circle";
  context.globalAlpha = layer.alpha ?? 1;
  context.fillStyle = tone(layer.colour);
  context.strokeStyle = layer.edge ? tone(layer.edge) : context.fillStyle;
  context.lineWidth = layer.edge ? 1.5 : 1.4;
  for (let i = 0; i < layer.x.length; i += 1) {
    if (layer.x[i] === null || (!isNumber(layer.y[i]) && typeof layer.y[i] !== "string" && typeof layer.y[i] !== "boolean")) continue;
    const [x, y] = [sx.map(layer.x[i]), sy.map(layer.y[i])];
    if (!isNumber(x) || !isNumber(y)) continue;
    const [across, up] = [Math.min(box.right + 1, Math.max(box.left - 1, x)), Math.min(box.bottom, Math.max(box.top, y))];
    if (across !== x || up !== y) {
      if (!zoom) beyond(context, across, up, Math.sign(x - across), Math.sign(y - up));
      continue;
    }
    if (layer.colours) context.fillStyle = context.strokeStyle = layer.colours[i];
    mark(context, shape, x + (layer.shift?.[i] ?? 0), y + (layer.lift?.[i] ?? 0), r);
    if (shape !== "cross" && !layer.hollow) context.fill();
    if (shape === "cross" || layer.hollow || layer.edge) context.stroke();
  }
}

// A point outside an axis is a small arrow at the edge that points outwards.
function beyond(context, x, y, right, down) {
  const size = 5 / Math.hypot(right, down);
  const [back, side] = [[x - size * right, y - size * down], [0.6 * size * down, -0.6 * size * right]];
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(back[0] + side[0], back[1] + side[1]);
  context.lineTo(back[0] - side[0], back[1] - side[1]);
  context.closePath();
  context.fill();
}

function line(context, layer, { sx, sy }) {
  context.strokeStyle = tone(layer.colour);
  context.lineWidth = layer.width ?? 2;
  context.globalAlpha = layer.alpha ?? 1;
  context.lineJoin = "round";
  if (layer.dash) context.setLineDash(layer.dash);
  context.beginPath();
  let last = null;
  for (let i = 0; i < layer.x.length; i += 1) {
    const y = layer.y[i] === null ? NaN : sy.map(layer.y[i]);
    if (!isNumber(y)) {
      last = null;
      continue;
    }
    const x = sx.map(layer.x[i]);
    if (last === null) context.moveTo(x, y);
    else {
      if (layer.step) context.lineTo(x, last);
      context.lineTo(x, y);
    }
    last = y;
  }
  context.stroke();
}

function band(context, layer, { sx, sy, box }) {
  context.fillStyle = tone(layer.colour);
  context.globalAlpha = layer.alpha ?? 0.18;
  const at = (v) => {
    const y = sy.map(v);
    return Number.isNaN(y) ? box.bottom : Math.min(1e5, Math.max(-1e5, y));
  };
  context.beginPath();
  layer.x.forEach((x, i) => context.lineTo(sx.map(x), at(layer.high[i])));
  for (let i = layer.x.length - 1; i >= 0; i -= 1) context.lineTo(sx.map(layer.x[i]), at(layer.low[i]));
  context.closePath();
  context.fill();
}

function area(context, layer, { sx, sy, box }) {
  context.fillStyle = tone(layer.colour);
  context.globalAlpha = layer.alpha ?? 0.08;
  const x = [layer.from?.x ?? null, layer.to?.x ?? null].map((v, i) => (v === null ? (i ? box.right : box.left) : sx.map(v)));
  const y = [layer.from?.y ?? null, layer.to?.y ?? null].map((v, i) => (v === null ? (i ? box.top : box.bottom) : sy.map(v)));
  if ([...x, ...y].every(isNumber)) context.fillRect(x[0], y[0], x[1] - x[0], y[1] - y[0]);
}

function rule(context, layer, { sx, sy, box }) {
  context.strokeStyle = tone(layer.colour ?? "muted");
  context.fillStyle = context.strokeStyle;
  context.lineWidth = layer.width ?? 1.5;
  context.setLineDash(layer.dash ?? [5, 4]);
  context.beginPath();
  if (layer.y !== undefined) {
    const y = sy.map(layer.y);
    context.moveTo(box.left, y);
    context.lineTo(box.right, y);
    if (layer.label) context.fillText(layer.label, box.left + 6, y - 5);
  } else {
    const x = sx.map(layer.x);
    context.moveTo(x, box.top);
    context.lineTo(x, box.bottom);
    if (layer.label) context.fillText(layer.label, x + 4, box.top + 11);
  }
  context.stroke();
}

function bars(context, layer, { sx, sy, box }) {
  context.fillStyle = tone(layer.colour);
  context.globalAlpha = layer.alpha ?? 0.85;
  for (let i = 0; i < layer.y.length; i += 1) {
    const [a, b] = [sx.map(layer.from[i]), sx.map(layer.to[i])];
    context.fillRect(a + 0.5, sy.map(layer.y[i]), Math.max(1, b - a - 1), box.bottom - sy.map(layer.y[i]));
  }
}

function errors(context, layer, { sx, sy }) {
  context.strokeStyle = tone(layer.colour);
  context.globalAlpha = layer.alpha ?? 0.5;
  context.lineWidth = 1;
  for (let i = 0; i < layer.x.length; i += 1) {
    context.beginPath();
    context.moveTo(sx.map(layer.x[i]), sy.map(layer.low[i]));
    context.lineTo(sx.map(layer.x[i]), sy.map(layer.high[i]));
    context.stroke();
  }
}

// A map: one colour per cell of `z` (rows by y), interpolated for numbers, flat for choices.
function heat(context, layer, { box, axes }) {
  const [columns, rows] = [layer.z[0]?.length ?? 0, layer.z.length];
  if (!columns) return;
  const picture = new OffscreenCanvas(columns, rows);
  const inner = picture.getContext("2d");
  const image = inner.createImageData(columns, rows);
  const [low, high] = layer.range;
  for (let j = 0; j < rows; j += 1) {
    for (let i = 0; i < columns; i += 1) {
      const v = layer.z[rows - 1 - j][i];
      const share = isNumber(v) ? (v - low) / (high - low || 1) : 0;
      const at = 4 * (j * columns + i);
      image.data.set([...mapped(layer.map, layer.reverse ? 1 - share : share), isNumber(v) ? 255 : 0], at);
    }
  }
  inner.putImageData(image, 0, 0);
  context.imageSmoothingEnabled = axes.x.type !== "category" && axes.y.type !== "category";
  context.imageSmoothingQuality = "high";
  const x = along(axes.x, box.left, box.right, columns);
  const y = along(axes.y, box.bottom, box.top, rows);
  context.drawImage(picture, x.first - x.step / 2, y.first + (rows - 0.5) * y.step, x.step * columns, -y.step * rows);
}

// Centre of the first cell and cell distance: numbers span the axis, choices have one band each.
function along(axis, from, to, cells) {
  if (axis.type === "category") return { first: from + (to - from) / cells / 2, step: (to - from) / cells };
  const step = (to - from) / Math.max(1, cells - 1);
  return { first: from, step };
}

// Lines of equal height by marching squares, between the centres of the map's cells.
function contours(context, layer, { box, axes }) {
  const [columns, rows] = [layer.z[0]?.length ?? 0, layer.z.length];
  const places = { x: along(axes.x, box.left, box.right, columns), y: along(axes.y, box.bottom, box.top, rows) };
  context.strokeStyle = css([255, 255, 255], 0.55);
  context.lineWidth = 0.8;
  context.beginPath();
  for (const level of layer.levels) {
    for (let j = 0; j + 1 < rows; j += 1) {
      for (let i = 0; i + 1 < columns; i += 1) cell(context, layer.z, level, i, j, places);
    }
  }
  context.stroke();
}

function cell(context, z, level, i, j, { x, y }) {
  const corners = [
    [i, j],
    [i + 1, j],
    [i + 1, j + 1],
    [i, j + 1],
  ];
  const cuts = [];
  for (let k = 0; k < 4; k += 1) {
    const [a, b] = [corners[k], corners[(k + 1) % 4]];
    const [za, zb] = [z[a[1]][a[0]], z[b[1]][b[0]]];
    if (za < level === zb < level) continue;
    const t = (level - za) / (zb - za);
    cuts.push([a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t]);
  }
  for (let k = 0; k + 1 < cuts.length; k += 2) {
    context.moveTo(x.first + cuts[k][0] * x.step, y.first + cuts[k][1] * y.step);
    context.lineTo(x.first + cuts[k + 1][0] * x.step, y.first + cuts[k + 1][1] * y.step);
  }
}
