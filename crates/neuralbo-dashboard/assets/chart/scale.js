// Scales from values to pixels, with round ticks.

import { num, count, key, value as shown } from "../format.js";

/** A scale for an axis `{type, domain, categories, label, integer}` over a range of pixels. */
export function scale(axis, from, to) {
  if (axis.type === "category") return category(axis.categories, from, to);
  if (axis.type === "log") return log(axis.domain, from, to);
  return linear(axis.domain, from, to, axis);
}

function linear([low, high], from, to, { type, integer }) {
  const span = high - low || 1;
  return {
    map: (v) => from + ((v - low) / span) * (to - from),
    invert: (p) => low + ((p - from) / (to - from)) * span,
    ticks: (room) => (type === "time" ? timeTicks(low, high, room) : linearTicks(low, high, room, integer)),
  };
}

function log([low, high], from, to) {
  const [a, b] = [Math.log10(low), Math.log10(high)];
  const span = b - a || 1;
  return {
    map: (v) => from + ((Math.log10(v) - a) / span) * (to - from),
    invert: (p) => 10 ** (a + ((p - from) / (to - from)) * span),
    ticks: (room) => logTicks(a, b, room),
  };
}

function category(categories, from, to) {
  const step = (to - from) / Math.max(1, categories.length);
  const places = new Map(categories.map((c, i) => [key(c), i]));
  return {
    map: (v) => from + ((places.get(key(v)) ?? v) + 0.5) * step,
    invert: (p) => categories[Math.min(categories.length - 1, Math.max(0, Math.floor((p - from) / step)))],
    band: Math.abs(step),
    ticks: () => categories.map((c) => ({ value: c, label: shown(c) })),
  };
}

// At least three ticks, unless only whole numbers are allowed and there are fewer.
function linearTicks(low, high, room, integer) {
  for (let wanted = room; ; wanted *= 1.6) {
    const ticks = someTicks(low, high, wanted, integer);
    if (ticks.length > 2 || wanted > 12 * room) return ticks;
  }
}

function someTicks(low, high, room, integer) {
  const finest = integer ? 1 : 0;
  const rough = Math.max((high - low) / Math.max(1, room), finest) || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough * 0.999) ?? power * 10;
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  const top = Math.max(Math.abs(low), Math.abs(high), step);
  const digits = Math.max(1, Math.floor(Math.log10(top)) - Math.floor(Math.log10(step)) + 1);
  const ticks = [];
  for (let i = first; i <= last && ticks.length < 50; i += 1) ticks.push({ value: i * step, label: integer ? count(i * step) : num(i * step, Math.min(15, digits)) });
  return ticks;
}

function logTicks(a, b, room) {
  const decades = Math.floor(b) - Math.ceil(a) + 1;
  const factors = decades <= room / 3 ? [1, 2, 5] : [1];
  const every = Math.max(1, Math.ceil(decades / Math.max(1, room)));
  const ticks = [];
  for (let power = Math.floor(a); power <= Math.ceil(b); power += 1) {
    if (power % every !== 0) continue;
    for (const factor of factors) {
      const value = factor * 10 ** power;
      if (Math.log10(value) >= a - 1e-9 && Math.log10(value) <= b + 1e-9) ticks.push({ value, label: num(value, 3) });
    }
  }
  return ticks.length > 1 ? ticks : linearTicks(10 ** a, 10 ** b, room).filter((tick) => tick.value > 0);
}

const SECOND = 1000;
const STEPS = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400, 172800, 604800, 2592000, 31536000,
];

function timeTicks(low, high, room) {
  const rough = (high - low) / Math.max(1, room);
  if (rough < SECOND) return linearTicks(0, high - low, room).map((t) => ({ value: low + t.value, label: `+${num(t.value / 1000, 4)} s` }));
  const step = (STEPS.find((s) => s * SECOND >= rough) ?? 31536000) * SECOND;
  const shift = new Date(low).getTimezoneOffset() * 60 * SECOND;
  const ticks = [];
  for (let t = Math.ceil((low - shift) / step) * step + shift; t <= high; t += step) ticks.push({ value: t, label: clock(t, step) });
  return ticks;
}

function clock(t, step) {
  const date = new Date(t);
  const two = (n) => String(n).padStart(2, "0");
  const time = `${two(date.getHours())}:${two(date.getMinutes())}`;
  if (step >= 86400 * SECOND) return `${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  if (step < 60 * SECOND) return `${time}:${two(date.getSeconds())}`;
  return time === "00:00" ? `${two(date.getMonth() + 1)}-${two(date.getDate())}` : time;
}

/** The axis of trial numbers or steps, which are whole. */
export function trialAxis(numbers, label = "trial") {
  const [low, high] = extent(numbers) ?? [0, 1];
  return { type: "linear", integer: true, label, domain: low === high ? [low - 0.5, high + 0.5] : padded([low, high], false, 0.02) };
}

/** The finite extent of several columns, or null. */
export function extent(...columns) {
  let [low, high] = [Infinity, -Infinity];
  for (const column of columns) {
    for (const v of column) {
      if (typeof v === "number" && Number.isFinite(v)) {
        if (v < low) low = v;
        if (v > high) high = v;
      }
    }
  }
  return low <= high ? [low, high] : null;
}

/** A domain with padding around an extent. */
export function padded(range, isLog, share = 0.04) {
  if (!range) return isLog ? [1, 10] : [0, 1];
  let [low, high] = range;
  if (isLog) {
    const air = Math.max((Math.log10(high) - Math.log10(low)) * share, 0.02);
    return [low / 10 ** air, high * 10 ** air];
  }
  if (low === high) [low, high] = [low - (Math.abs(low) * 0.1 || 1), high + (Math.abs(high) * 0.1 || 1)];
  const air = (high - low) * share;
  return [low - air, high + air];
}

function quantile(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.round(share * (sorted.length - 1))))];
}

const finite = (values) => values.filter((v) => typeof v === "number" && Number.isFinite(v)).sort((a, b) => a - b);

/** Whether values span enough orders of magnitude for a logarithmic axis. */
export function logHelps(values) {
  const sorted = finite(values);
  return sorted.length > 1 && sorted[0] > 0 && quantile(sorted, 0.9) / sorted[0] > 100;
}

export function logPossible(values) {
  const sorted = finite(values);
  return sorted.length > 0 && sorted[0] > 0;
}

/** An axis for values: logarithmic for wide ranges; a linear one clips distant bad outliers. */
export function valueAxis(values, { label, log: wanted, direction = "minimize", include = [] }) {
  const [sorted, more] = [finite(values), finite(include)];
  const isLog = wanted ?? logHelps(values);
  if (sorted.length === 0) return { type: "linear", label, domain: [0, 1] };
  let [low, high] = [sorted[0], sorted[sorted.length - 1]];
  if (!isLog && sorted.length > 20) {
    const spread = quantile(sorted, 0.9) - quantile(sorted, 0.1);
    if (direction === "minimize") high = Math.min(high, quantile(sorted, 0.9) + 1.5 * spread);
    else low = Math.max(low, quantile(sorted, 0.1) - 1.5 * spread);
  }
  if (more.length) [low, high] = [Math.min(low, more[0]), Math.max(high, more[more.length - 1])];
  const positive = isLog && low > 0;
  return { type: positive ? "log" : "linear", label, domain: padded([low, high], positive) };
}

/** The axis of a parameter from its domain, or from its values if it is unbounded. */
export function paramAxis(p, values = []) {
  if (p.kind === "bool") return { type: "category", label: p.name, categories: [false, true] };
  if (p.choices) return { type: "category", label: p.name, categories: p.choices };
  const range = p.low != null && p.high != null ? [p.low, p.high] : extent(values);
  const isLog = Boolean(p.log) && range !== null && range[0] > 0;
  return { type: isLog ? "log" : "linear", integer: p.kind === "int", label: p.name, domain: padded(range, isLog, 0.03) };
}
