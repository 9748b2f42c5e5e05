// Two parameters: the model's mean and its uncertainty.

import { el, put, notice } from "../dom.js";
import { studyPath, get, has } from "../api.js";
import { num, value } from "../format.js";
import { Figure } from "../chart/figure.js";
import { extent, paramAxis } from "../chart/scale.js";
import { mapped, css } from "../chart/palette.js";
import { colour, onTheme } from "../theme.js";
import { direction, pairSelect, targets } from "./parts.js";

const LEVELS = 9;

export function contour({ name, query, remember }) {
  const choose = el("div", { class: "toolbar" });
  const mean = new Figure("Mean of the model", { height: 380 });
  const sd = new Figure("Uncertainty of the model", { height: 380 });
  const keys = { mean: el("div", { class: "colourbar" }), sd: el("div", { class: "colourbar" }) };
  const said = el("div", {});
  const panels = el(
    "div",
    { class: "columns even" },
    el("div", { class: "card" }, mean.node, keys.mean),
    el("div", { class: "card" }, sd.node, keys.sd),
  );
  let now = {};
  // As in parallel coordinates, better values contrast more with the page.
  const end = onTheme(() => (panels.isConnected ? draw() : end()));

  function selects(study, columns) {
    const all = study.space.map((p) => p.name);
    const there = (x, y) => x !== y && has(studyPath(name, "/contour"), { x, y, objective: now.objective });
    const names = all.filter((x) => all.some((y) => there(x, y)));
    if (names.length < 2) return;
    const changed = (axis) => (chosen) => {
      query[axis] = chosen;
      remember();
      draw();
    };
    pairSelect(choose, names, { query, columns, changed });
  }

  async function draw() {
    const { study, objective, signal } = now;
    if (!choose.firstChild) return say("This report contains no contours.");
    if (query.x === query.y) return say("Choose two different parameters.");
    const [columns, model] = await Promise.all([
      get(studyPath(name, "/columns"), { points: 1000, objective, params: [query.x, query.y] }, signal),
      get(studyPath(name, "/contour"), { x: query.x, y: query.y, objective, grid: 40 }, signal).catch((error) => {
        if (error.name === "AbortError") throw error;
        return { error: error.message };
      }),
    ]);
    if (model.error) return say(model.error);
    put(said);
    panels.hidden = false;
    const [low, high] = extent(...model.mean) ?? [0, 0];
    const flat = high - low < extent(...model.sd)?.[0] ? " The mean varies by less than its standard deviation." : "";
    const parts = { name, study, objective, columns, model, query, flat };
    show(mean, keys.mean, parts, model.mean, {
      map: "viridis",
      reverse: (direction(study, objective) === "minimize") === (colour("dark") === "1"),
      minimize: direction(study, objective) === "minimize",
      label: objective,
      better: true,
    });
    show(sd, keys.sd, parts, model.sd, { map: "cividis", reverse: false, label: "standard deviation", better: false });
  }

  function say(text) {
    panels.hidden = true;
    put(said, notice(text));
  }

  return {
    node: el("div", {}, choose, said, panels),
    async load(study, objective, signal) {
      now = { study, objective, signal };
      if (study.space.length < 2) return say("A contour needs two parameters.");
      if (!choose.firstChild) selects(study, await get(studyPath(name, "/columns"), { points: 1000, objective }, signal));
      await draw();
    },
  };
}

function show(figure, bar, { name, study, objective, columns, model, query, flat }, z, look) {
  const [px, py] = [query.x, query.y].map((n) => study.space.find((p) => p.name === n));
  const range = extent(...z) ?? [0, 1];
  const smooth = [px, py].every((p) => !p.choices && p.kind !== "bool");
  const levels = Array.from({ length: LEVELS }, (_, i) => range[0] + ((i + 1) / (LEVELS + 1)) * (range[1] - range[0]));
  const [cx, cy] = [columns.params[px.name], columns.params[py.name]];
  const kept = cx.map((v, i) => (v !== null && cy[i] !== null ? i : -1)).filter((i) => i >= 0);
  const pick = (column) => kept.map((i) => column[i]);
  const text = (k) => `${px.name} ${value(cx[kept[k]])}\n${py.name} ${value(cy[kept[k]])}\n${objective} ${num(columns.value[kept[k]], 6)}`;
  const layers = [
    { kind: "heat", z, range, map: look.map, reverse: look.reverse },
    ...(smooth && range[1] > range[0] ? [{ kind: "contours", z, levels }] : []),
    {
      kind: "points",
      x: pick(cx),
      y: pick(cy),
      colour: "#ffffff",
      size: 1.8,
      alpha: 0.55,
      targets: targets(name, pick(columns.number), text),
    },
  ];
  const at = model.at ?? study.best?.params;
  if (at && at[px.name] !== undefined && at[py.name] !== undefined)
    layers.push({ kind: "points", x: [at[px.name]], y: [at[py.name]], colour: "best", edge: "#ffffff", shape: "star", size: 9 });
  figure.set({
    x: mapAxis(px, model.x),
    y: mapAxis(py, model.y),
    layers,
    legend: [{ name: "best trial", colour: "best", shape: "star" }],
    summary: `${look.label} from ${num(range[0])} to ${num(range[1])} over ${px.name} and ${py.name}.`,
    note: `All other parameters are those of the best trial.${flat}`,
    columns: cells(px, py, model, z, look.label),
  });
  colourBar(bar, range, look);
}

function mapAxis(p, grid) {
  const axis = paramAxis(p, grid);
  return axis.type === "category" ? { ...axis, categories: grid } : { ...axis, domain: [grid[0], grid[grid.length - 1]] };
}

function cells(px, py, model, z, label) {
  const flat = z.flatMap((row, j) => row.map((v, i) => [model.x[i], model.y[j], v]));
  return [px.name, py.name, label].map((name, k) => ({ name, values: flat.map((cell) => cell[k]) }));
}

function colourBar(bar, range, { map, reverse, minimize, label, better }) {
  const stops = Array.from({ length: 11 }, (_, i) => css(mapped(map, reverse ? 1 - i / 10 : i / 10)));
  const strip = el("span", { class: "strip", "aria-hidden": "true", vars: { "--strip": `linear-gradient(90deg, ${stops.join(",")})` } });
  const word = better ? (minimize ? "(lower is better)" : "(higher is better)") : "";
  put(bar, el("span", {}, num(range[0], 3)), strip, el("span", {}, num(range[1], 3)), el("span", { class: "quiet" }, `${label} ${word}`));
}
