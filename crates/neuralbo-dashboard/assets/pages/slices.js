// One small chart per parameter: values of trials, with the model's band through the best trial.

import { el, put, notice } from "../dom.js";
import { studyPath, get, ApiError } from "../api.js";
import { num, value, plural } from "../format.js";
import { Figure } from "../chart/figure.js";
import { paramAxis, valueAxis } from "../chart/scale.js";
import { byState, direction } from "./parts.js";

const POINTS = 1500;

/** The view; model bands are loaded when their chart becomes visible. */
export function slices({ name }) {
  const said = el("p", { class: "note" });
  const grid = el("div", { class: "grid" });
  const charts = new Map();
  const models = new Map();
  let columns = null;
  let now = {};
  const seen = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) if (entry.isIntersecting) model(entry.target.dataset.param);
    },
    { rootMargin: "200px" },
  );

  async function model(param) {
    const key = `${now.objective}|${param}|${now.study.counts.complete}`;
    if (models.get(param)?.key === key) return;
    models.set(param, { key, data: models.get(param)?.data });
    try {
      const data = await get(studyPath(name, "/slice"), { param, objective: now.objective, grid: 60 }, now.signal);
      models.set(param, { key, data });
      paint(param);
    } catch (error) {
      if (!(error instanceof ApiError) && error.name !== "AbortError") throw error;
    }
  }

  function paint(param) {
    const p = now.study.space.find((entry) => entry.name === param);
    charts.get(param).figure.set(spec(name, p, columns, models.get(param)?.data, now));
  }

  return {
    node: el("div", {}, said, grid),
    leave: () => seen.disconnect(),
    async load(study, objective, signal) {
      if (now.objective !== objective) models.clear();
      now = { study, objective, signal };
      columns = await get(studyPath(name, "/columns"), { points: POINTS, objective }, signal);
      said.textContent =
        columns.total > columns.number.length
          ? `${columns.number.length} of ${plural(columns.total, "trial")} are shown, including the best. The line is the model's mean with the band of two standard deviations, through the best trial.`
          : "The line is the model's mean with the band of two standard deviations, through the best trial.";
      if (study.space.length === 0) return put(grid, notice("The study has no parameter yet."));
      for (const p of study.space) {
        if (charts.has(p.name)) {
          paint(p.name);
          continue;
        }
        const figure = new Figure(p.name, { height: 190, compact: true, level: 3 });
        const box = el("div", { class: "card", "data-param": p.name }, figure.node);
        charts.set(p.name, { figure });
        grid.append(box);
        paint(p.name);
        seen.observe(box);
      }
      for (const param of models.keys()) model(param);
    },
  };
}

function spec(name, p, columns, model, { study, objective }) {
  const x = columns.params[p.name] ?? columns.number.map(() => null);
  const y = columns.value;
  const text = (i) => `${p.name} ${value(x[i])}\n${objective} ${num(y[i], 6)}`;
  const axis = paramAxis(p, x);
  const spread = axis.type === "category" ? 14 : p.kind === "int" && p.high - p.low < 20 ? 4 : 0;
  const layers = byState(columns, x, y, text, name, { size: 2.5, alpha: 0.55, spread });
  const worth = direction(study, objective);
  const idle = model && p.condition && !(p.name in model.at);
  const include = model && !idle ? model.mean : [];
  const best = study.best
    ? {
        kind: "points",
        x: [study.best.params[p.name] ?? null],
        y: [study.best.values[objective] ?? null],
        colour: "best",
        edge: "card",
        shape: "star",
        size: 8,
      }
    : null;
  const missing = x.filter((v) => v === null).length;
  return {
    x: axis,
    y: { ...valueAxis(y, { label: objective, direction: worth, include }), quiet: true },
    layers: [...layers, ...band(idle ? null : model, axis), ...(best ? [best] : [])],
    summary: `${p.name} against ${objective}.`,
    note: missing ? `inactive in ${plural(missing, "trial")}${idle ? ", including the best" : ""}` : "",
    columns: [
      { name: "trial", values: columns.number },
      { name: p.name, values: x },
      { name: objective, values: y },
    ],
  };
}

function band(model, axis) {
  if (!model) return [];
  const low = model.mean.map((m, i) => m - 2 * model.sd[i]);
  const high = model.mean.map((m, i) => m + 2 * model.sd[i]);
  if (axis.type === "category") {
    return [
      { kind: "errors", x: model.x, low, high, colour: "model", alpha: 0.9 },
      { kind: "points", x: model.x, y: model.mean, colour: "model", shape: "square", size: 3.5 },
    ];
  }
  return [
    { kind: "band", x: model.x, low, high, colour: "model" },
    { kind: "line", x: model.x, y: model.mean, colour: "model" },
  ];
}
