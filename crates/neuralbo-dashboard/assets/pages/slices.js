// One small chart per parameter: values of trials, with the model's band through the best trial.

import { el, put, notice } from "../dom.js";
import { studyPath, get, ApiError } from "../api.js";
import { num, count, plural } from "../format.js";
import { Figure } from "../chart/figure.js";
import { paramAxis, valueAxis } from "../chart/scale.js";
import { byState, direction, finalValues, paramLines, stateLegend } from "./parts.js";

const POINTS = 1500;

/** The view; model bands are loaded when their chart becomes visible. */
export function slices({ name, query }) {
  const said = el("div", { class: "note" });
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
      for (const shown of charts.keys()) paint(shown);
    } catch (error) {
      if (!(error instanceof ApiError) && error.name !== "AbortError") throw error;
    }
  }

  function paint(param) {
    const p = now.study.space.find((entry) => entry.name === param);
    const means = [...models.values()].flatMap((entry) => entry.data?.mean ?? []);
    charts.get(param).figure.set(spec(name, p, columns, models.get(param)?.data, { ...now, means }));
  }

  return {
    node: el("div", {}, said, grid),
    leave: () => seen.disconnect(),
    async load(study, objective, signal) {
      if (now.objective !== objective) models.clear();
      now = { study, objective, signal };
      columns = finalValues(await get(studyPath(name, "/columns"), { points: POINTS, objective }, signal), query);
      said.textContent =
        columns.total > columns.number.length
          ? `${count(columns.number.length)} of ${plural(columns.total, "trial")} are shown, including the best. The line is the model's mean with the band of two standard deviations, through the best trial.`
          : "The line is the model's mean with the band of two standard deviations, through the best trial.";
      if (columns.number.length === 0) return put(said, notice("No trial has finished yet."));
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

// All charts have the same value axis.
function spec(name, p, columns, model, { study, objective, means }) {
  const x = columns.params[p.name] ?? columns.number.map(() => null);
  const y = columns.value;
  const text = (i) => `${objective} ${num(y[i], 6)}\n${paramLines(columns, i)}`;
  const axis = paramAxis(p, x);
  const spread = axis.type === "category" ? 14 : p.kind === "int" && p.high - p.low < 20 ? 4 : 0;
  const layers = byState(columns, x, y, text, name, { size: 2.5, alpha: 0.55, spread });
  const worth = direction(study, objective);
  const idle = model && p.condition && !(p.name in model.at);
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
    y: valueAxis(y, { label: objective, direction: worth, include: means }),
    layers: [...layers, ...(best ? [best] : []), ...band(idle ? null : model, axis)],
    legend: [
      ...stateLegend(layers),
      ...(best ? [{ name: "best", colour: "best", shape: "star" }] : []),
      ...(model && !idle ? [{ name: "model", colour: "model", shape: axis.type === "category" ? "square" : "line" }] : []),
    ],
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
