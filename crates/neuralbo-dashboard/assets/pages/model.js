// Calibration of the model, and time per trial.

import { el, put, card, notice } from "../dom.js";
import { studyPath, get } from "../api.js";
import { num, percent, plural, plusMinus, duration } from "../format.js";
import { Figure } from "../chart/figure.js";
import { extent, padded, trialAxis, valueAxis } from "../chart/scale.js";
import { targets, facts, fact } from "./parts.js";

// Below this many values a coverage of 90 % cannot be told from one of 70 %.
const ENOUGH = 20;

export function create({ name }) {
  const said = el("div", {});
  const seen = new Figure("Predicted and observed", { height: 340 });
  const cover = new Figure("Coverage of the intervals", { height: 340 });
  const spread = new Figure("Standardized residuals", { height: 240 });
  const charts = el(
    "div",
    {},
    el("div", { class: "columns even" }, el("div", { class: "card" }, seen.node), el("div", { class: "card" }, cover.node)),
    el("div", { class: "card" }, spread.node),
  );
  const times = el("div", {});
  const course = new Figure("Time of each trial", { height: 260 });
  const courseCard = el("div", { class: "card" }, course.node);
  return {
    node: el("div", {}, said, charts, times, courseCard),
    title: "Model",
    async load(study, signal) {
      const data = await get(studyPath(name, "/calibration"), {}, signal);
      charts.hidden = data.count === 0;
      put(
        said,
        data.count === 0 ? notice("No trial has a prediction from before its evaluation yet.") : verdict(data),
      );
      if (data.count) {
        seen.set(predicted(name, study, data));
        cover.set(coverage(data));
        spread.set(residuals(data));
      }
      const time = await get(studyPath(name, "/time"), {}, signal);
      courseCard.hidden = time.per_trial.number.length === 0;
      put(times, courseCard.hidden ? null : whole(time));
      if (!courseCard.hidden) course.set(perTrial(name, time));
    },
  };
}

function verdict({ count, coverage: levels }) {
  const at = levels.find((c) => Math.abs(c.level - 0.9) < 1e-6) ?? levels[levels.length - 1];
  if (!at) return null;
  const word =
    count < ENOUGH
      ? `Too early to judge the model: a verdict needs ${ENOUGH} predicted values.`
      : at.share < at.level - 0.1
      ? "The model is overconfident."
      : at.share > at.level + 0.07
        ? "The model is underconfident."
        : "The model is well calibrated.";
  return card(
    null,
    el("p", { class: "strong" }, word),
    el(
      "p",
      { class: "note" },
      `Its ${percent(at.level)} intervals contained ${percent(at.share)} of ${plural(count, "new value")}.`,
    ),
  );
}

function predicted(name, study, { points }) {
  const { mean, sd, value, number } = points;
  const objective = study.objectives[0].name;
  const axis = valueAxis(value.concat(mean), { label: "", direction: study.objectives[0].direction, log: false });
  const at = targets(name, number, (i) => `predicted ${plusMinus(mean[i], sd[i])}\nseen ${num(value[i], 5)}`);
  return {
    x: { ...axis, label: `predicted ${objective}` },
    y: { ...axis, label: `seen ${objective}` },
    layers: [
      { kind: "line", x: axis.domain, y: axis.domain, colour: "muted", width: 1, dash: [5, 4] },
      { kind: "points", x: mean, y: value, colour: "model", size: 2.6, alpha: 0.6, targets: at },
    ],
    summary: "Points on the diagonal were predicted exactly.",
    note: "On the dashed line the value equals the prediction.",
    columns: [
      { name: "trial", values: number },
      { name: "predicted", values: mean },
      { name: "standard deviation", values: sd },
      { name: "seen", values: value },
    ],
  };
}

function coverage({ coverage: levels }) {
  const [x, y] = [levels.map((c) => c.level), levels.map((c) => c.share)];
  const at = levels.map((c) => ({ text: `${percent(c.level)} intervals\nheld ${percent(c.share)}` }));
  return {
    x: { type: "linear", label: "nominal coverage", domain: [0, 1] },
    y: { type: "linear", label: "observed coverage", domain: [0, 1] },
    fixed: true,
    layers: [
      { kind: "line", x: [0, 1], y: [0, 1], colour: "muted", width: 1, dash: [5, 4] },
      { kind: "line", x, y, colour: "model" },
      { kind: "points", x, y, colour: "model", size: 4, targets: at },
    ],
    summary: levels.map((c) => `${percent(c.level)}: ${percent(c.share)}`).join(", "),
    note: "Below the dashed line the model is overconfident.",
    columns: [
      { name: "level", values: x },
      { name: "share inside", values: y },
    ],
  };
}

function residuals({ z }) {
  const [low, high, bins] = [-5, 5, 40];
  const width = (high - low) / bins;
  const counts = Array(bins).fill(0);
  for (const v of z) counts[Math.min(bins - 1, Math.max(0, Math.floor((v - low) / width)))] += 1;
  const density = counts.map((c) => c / z.length / width);
  const from = counts.map((_, i) => low + i * width);
  const xs = Array.from({ length: 101 }, (_, i) => low + (i / 100) * (high - low));
  const normal = xs.map((x) => Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI));
  return {
    x: { type: "linear", label: "(observed − predicted) / standard deviation", domain: [low, high] },
    y: { type: "linear", label: "share", domain: [0, Math.max(...density, 0.42) * 1.06], quiet: true },
    fixed: true,
    layers: [
      { kind: "bars", from, to: from.map((f) => f + width), y: density, colour: "model", alpha: 0.7 },
      { kind: "line", x: xs, y: normal, colour: "text", width: 1.5, dash: [5, 4] },
    ],
    legend: [
      { name: "residuals", colour: "model", shape: "square" },
      { name: "normal distribution (ideal)", colour: "text" },
    ],
    summary: `${z.length} residuals.`,
    note: "Residuals beyond five are counted in the outermost bars.",
    columns: [
      { name: "from", values: from },
      { name: "trials", values: counts },
    ],
  };
}

function whole({ objective_s: objective, suggestion_s: suggestion, other_s: other }) {
  const all = objective + suggestion + (other ?? 0) || 1;
  const parts = [
    ["objective", objective, "complete"],
    ["suggestion", suggestion, "model"],
    ["waiting and storage", other ?? 0, "running"],
  ];
  return card(
    "Where the time goes",
    facts(parts.map(([n, s]) => fact(n, duration(s * 1000), ` ${percent(s / all)}`))),
    el(
      "div",
      { class: "stack", role: "img", "aria-label": parts.map(([n, s]) => `${n} ${percent(s / all)}`).join(", ") },
      parts.map(([, s, look]) => (s > 0 ? el("span", { class: look, vars: { "--share": s / all } }) : null)),
    ),
  );
}

function perTrial(name, { per_trial: { number, objective_s: objective, suggestion_s: suggestion } }) {
  const text = (i) => `objective ${duration(objective[i] * 1000)}\nsuggestion ${duration(suggestion[i] * 1000)}`;
  const positive = (values) => values.map((v) => (v > 0 ? v : null));
  const range = extent(positive(objective), positive(suggestion)) ?? [0.001, 1];
  return {
    x: trialAxis(number),
    y: { type: "log", label: "seconds", domain: padded(range, true) },
    layers: [
      {
        kind: "points",
        x: number,
        y: positive(objective),
        colour: "state-complete",
        size: 2.4,
        alpha: 0.6,
        targets: targets(name, number, text),
      },
      {
        kind: "points",
        x: number,
        y: positive(suggestion),
        colour: "model",
        shape: "triangle",
        size: 2.4,
        alpha: 0.7,
        targets: targets(name, number, text),
      },
    ],
    legend: [
      { name: "objective", colour: "state-complete", shape: "circle" },
      { name: "suggestion", colour: "model", shape: "triangle" },
    ],
    summary: "Seconds of each trial.",
    columns: [
      { name: "trial", values: number },
      { name: "objective (s)", values: objective },
      { name: "suggestion (s)", values: suggestion },
    ],
  };
}
