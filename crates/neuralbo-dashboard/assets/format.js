// Formatting of numbers, times and states.

/** A number with significant digits: 1.07e-20 is kept, 1e-9 is never 0, -0 is 0. */
export function num(value, digits = 4) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (value === 0) return "0";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e6) return signed(String(size), value);
  const exponent = Math.floor(Math.log10(Number(size.toPrecision(digits))));
  if (exponent < -4 || exponent >= Math.max(6, digits)) {
    const [mantissa, power] = size.toExponential(digits - 1).split("e");
    return signed(`${trim(mantissa)}e${Number(power)}`, value);
  }
  return signed(trim(size.toPrecision(digits)), value);
}

function signed(text, value) {
  return value < 0 ? `−${text}` : text;
}

function trim(text) {
  return text.includes(".") && !text.includes("e") ? text.replace(/\.?0+$/, "") : text;
}

/** A number with all its digits, for copying. */
export function exact(value) {
  return value === null || value === undefined ? "" : String(value);
}

/** `mean ± sd`, rounded to the precision of the deviation. */
export function plusMinus(mean, sd) {
  if (mean === null || mean === undefined) return "–";
  if (!sd || !Number.isFinite(sd)) return num(mean);
  const room = Math.floor(Math.log10(Math.abs(mean) || sd)) - Math.floor(Math.log10(sd));
  return `${num(mean, Math.min(12, Math.max(2, room + 2)))} ± ${num(sd, 2)}`;
}

/** A count: 100,000. */
export function count(value) {
  return value === null || value === undefined ? "–" : (Math.round(value) + 0).toLocaleString("en");
}

/** `3 trials`, `1 trial`. */
export function plural(n, word, many = `${word}s`) {
  return `${count(n)} ${n === 1 ? word : many}`;
}

export function percent(share) {
  if (share === null || share === undefined) return "–";
  const value = share * 100;
  return value > 0 && value < 0.1 ? "< 0.1 %" : `${value < 9.95 ? trim(value.toFixed(1)) : Math.round(value)} %`;
}

/** A duration in milliseconds: 0.4 ms, 12.3 s, 2 min 5 s, 3 h 12 min, 4 d 2 h. */
export function duration(ms) {
  if (ms === null || ms === undefined || Number.isNaN(ms)) return "–";
  if (ms < 0) return `−${duration(-ms)}`;
  if (ms < 1000) return `${num(ms, 3)} ms`;
  const s = ms / 1000;
  if (s < 99.95) return `${num(Math.round(s * 10) / 10, 3)} s`;
  const parts = [
    [86400, "d"],
    [3600, "h"],
    [60, "min"],
    [1, "s"],
  ];
  const at = parts.findIndex(([size]) => s >= size);
  const [size, unit] = parts[at];
  const [small, smallUnit] = parts[at + 1];
  let whole = Math.floor(s / size);
  let rest = Math.round((s - whole * size) / small);
  if (rest * small === size) [whole, rest] = [whole + 1, 0];
  return rest ? `${whole} ${unit} ${rest} ${smallUnit}` : `${whole} ${unit}`;
}

/** `5 min ago`. */
export function ago(ms, now = Date.now()) {
  if (!ms) return "–";
  const past = Math.max(0, now - ms);
  return past < 2000
    ? "just now"
    : `${duration(past < 99_950 ? Math.round(past / 1000) * 1000 : past)
        .split(" ")
        .slice(0, 2)
        .join(" ")} ago`;
}

/** A time in the reader's time zone: 2026-11-16 06:25:01. */
export function moment(ms) {
  if (!ms) return "–";
  const date = new Date(ms);
  const two = (n) => String(n).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** The name of a worker without what only tells processes of the same number apart. */
export function workerName(name) {
  const [, host, id] = /^(.+):(\d+):\d+:[0-9a-f]+$/.exec(name) ?? [];
  return host ? `${host}, process ${id}` : name || "–";
}

/** A sentence: an error begins with a small letter. */
export const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** Any JSON value of a parameter or an attribute. */
export function value(v, digits = 5) {
  if (v === null || v === undefined) return "–";
  if (typeof v === "number") return num(v, digits);
  return typeof v === "string" ? v : JSON.stringify(v);
}

/** A value as a key of categories: 1 and "1" stay different. */
export function key(v) {
  return typeof v === "string" ? v : JSON.stringify(v);
}

/** An outcome constraint in command-line syntax. */
export function constraint(c) {
  if (c.at_most != null && c.at_least != null) return `${num(c.at_least)} ≤ ${c.name} ≤ ${num(c.at_most)}`;
  return c.at_most != null ? `${c.name} ≤ ${num(c.at_most)}` : `${c.name} ≥ ${num(c.at_least)}`;
}

/** A parameter's domain in command-line syntax. */
export function domain(p) {
  const condition = p.condition ? ` if ${p.condition}` : "";
  if (p.kind === "bool") return `bool${condition}`;
  if (p.choices) {
    const shown = p.choices.slice(0, 8).map((c) => value(c));
    return `${p.kind}(${shown.join(", ")}${p.choices.length > 8 ? ", …" : ""})${condition}`;
  }
  const extras = (p.log ? ", log" : "") + (p.step ? `, step ${num(p.step)}` : "");
  return `${p.kind}(${num(p.low)}, ${num(p.high)}${extras})${condition}`;
}
