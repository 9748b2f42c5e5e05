// Several objectives: the Pareto front, pair by pair, and the hypervolume over time.

import { el, put, link, card, notice, table } from "../dom.js";
import { studyPath, get } from "../api.js";
import { num, count, plural, value } from "../format.js";
import { to } from "../router.js";
import { Figure } from "../chart/figure.js";
import { extent, padded, trialAxis, valueAxis } from "../chart/scale.js";
import { targets } from "./parts.js";

/**
 * The front pair by pair, and the hypervolume. A rectangle dragged in one chart is a brush for the others: trials outside it fade.
 * `brushed` gets the test of a trial's values.
 */
export function frontCharts(name, brushed = () => {}) {
  const pairs = el("div", {});
  const volume = new Figure("Hypervolume", { height: 240 });
  const volumeCard = el("div", { class: "card", hidden: true }, volume.node);
  const figures = new Map();
  const brushes = new Map();
  let redraw = () => {};
  return {
    node: el("div", {}, pairs, volumeCard),
    async load(study, signal) {
      const data = await get(studyPath(name, "/front"), {}, signal);
      const n = data.objectives.length;
      if (figures.size === 0) {
        for (let i = 0; i < n; i += 1)
          for (let j = i + 1; j < n; j += 1)
            figures.set(
              `${i},${j}`,
              new Figure(`${data.objectives[j]} against ${data.objectives[i]}`, { height: n === 2 ? 420 : 260, compact: n > 2 }),
            );
        put(
          pairs,
          el(
            "div",
            { class: n > 2 ? "grid wide" : null },
            [...figures.values()].map((f) => el("div", { class: "card" }, f.node)),
          ),
        );
      }
      redraw = () => {
        const inside = (values) => [...brushes.values()].every((test) => test(values));
        for (const [key, figure] of figures) {
          const zoomed = (zoom) => {
            if (zoom) brushes.set(key, within(key, zoom));
            else brushes.delete(key);
            redraw();
          };
          const at = key.split(",").map(Number);
          figure.set({ ...pair({ name, study, data, inside: brushes.size ? inside : null }, ...at), zoomed: n > 2 ? zoomed : null });
        }
        brushed(inside);
      };
      redraw();
      volumeCard.hidden = !data.hypervolume?.number.length;
      if (!volumeCard.hidden) volume.set(history(data));
      return data;
    },
  };
}

export function create({ name }) {
  const list = el("div", {});
  let show = () => {};
  const charts = frontCharts(name, (inside) => show(inside));
  return {
    node: el("div", {}, charts.node, list),
    title: "Pareto front",
    async load(study, signal) {
      if (study.objectives.length < 2) return put(list, notice("A study with one objective has a best trial instead of a front."));
      const data = await charts.load(study, signal);
      show = (inside) => put(list, members(name, study, { ...data, front: data.front.filter((t) => inside(data.objectives.map((o) => t.values[o]))) }));
      show(() => true);
    },
  };
}

// Whether the values of a trial lie in the rectangle of a zoomed chart.
function within(key, zoom) {
  const [i, j] = key.split(",").map(Number);
  const holds = (domain, v) => !domain || (v >= domain[0] && v <= domain[1]);
  return (values) => holds(zoom.x.domain, values[i]) && holds(zoom.y.domain, values[j]);
}

function pair({ name, study, data, inside }, i, j) {
  const { number, values, feasible, on_front: front } = data.trials;
  const rows = (test) => number.map((_, k) => k).filter((k) => values[i][k] !== null && values[j][k] !== null && test(k));
  const text = (k) =>
    data.objectives.map((o, m) => `${o} ${num(values[m][k], 5)}`).join("\n") + (feasible?.[k] === false ? "\nnot feasible" : "");
  const layer = (kept, look) => ({
    kind: "points",
    x: kept.map((k) => values[i][k]),
    y: kept.map((k) => values[j][k]),
    targets: targets(
      name,
      kept.map((k) => number[k]),
      (m) => text(kept[m]),
      true,
    ),
    ...look,
  });
  const best = rows((k) => front[k]);
  const others = rows((k) => !front[k] && feasible?.[k] !== false);
  const kept = (k) => inside?.(values.map((column) => column[k])) ?? true;
  const refused = rows((k) => !front[k] && feasible?.[k] === false);
  const layers = [
    layer(refused, { colour: "faint-point", shape: "cross", size: 2.5, alpha: 0.5 }),
    layer(others.filter((k) => !kept(k)), { colour: "faint-point", size: 2.5, alpha: 0.15 }),
    layer(others.filter(kept), { colour: "faint-point", size: 2.5, alpha: 0.8 }),
    ...(data.objectives.length === 2 ? [stairs(study, values, best)] : []),
    layer(best.filter((k) => !kept(k)), { colour: "best", size: 4.5, alpha: 0.15 }),
    layer(best.filter(kept), { colour: "best", size: 4.5, edge: "card" }),
  ];
  const reference = data.reference?.[i] != null && data.reference?.[j] != null ? [data.reference[i], data.reference[j]] : null;
  const [x, y] = [i, j].map((m, k) =>
    valueAxis(
      values[m].filter((v) => v !== null),
      {
        label: label(study, m),
        direction: study.objectives[m].direction,
        log: false,
        include: reference ? [reference[k]] : [],
      },
    ),
  );
  if (reference)
    layers.push({
      kind: "points",
      x: [reference[0]],
      y: [reference[1]],
      colour: "muted",
      shape: "square",
      size: 4,
      hollow: true,
      targets: [{ text: `reference point\n${num(reference[0])}, ${num(reference[1])}` }],
    });
  return {
    x,
    y,
    layers,
    legend: [
      { name: `Pareto front (${count(best.length)})`, colour: "best", shape: "circle" },
      { name: "other trials", colour: "faint-point", shape: "circle" },
      ...(refused.length ? [{ name: "not feasible", colour: "faint-point", shape: "cross" }] : []),
      ...(reference ? [{ name: "reference point", colour: "muted", shape: "square" }] : []),
    ],
    summary: `${plural(best.length, "trial")} on the front.`,
    note: data.objectives.length > 2 ? brushNote(best, kept, inside) : "",
    columns: [
      { name: "trial", values: best.map((k) => number[k]) },
      ...data.objectives.map((o, m) => ({ name: o, values: best.map((k) => values[m][k]) })),
    ],
  };
}

function brushNote(best, kept, inside) {
  if (!inside) return "Drag a rectangle: the other charts fade the trials outside it.";
  return `${count(best.filter(kept).length)} of ${plural(best.length, "trial")} of the front are inside the rectangles.`;
}

function label(study, i) {
  const { name, direction } = study.objectives[i];
  return `${name} (${direction === "minimize" ? "lower" : "higher"} is better)`;
}

// The attained front is a staircase between its trials.
function stairs(study, values, best) {
  const order = [...best].sort((a, b) => values[0][a] - values[0][b]);
  const [x, y] = [[], []];
  const inner = study.objectives[0].direction === "minimize";
  order.forEach((k, m) => {
    if (m > 0) {
      const before = order[m - 1];
      const corner = inner ? [values[0][k], values[1][before]] : [values[0][before], values[1][k]];
      x.push(corner[0]);
      y.push(corner[1]);
    }
    x.push(values[0][k]);
    y.push(values[1][k]);
  });
  return { kind: "line", x, y, colour: "best", width: 1.5, alpha: 0.7 };
}

function history({ hypervolume: { number, value, complete } }) {
  return {
    x: trialAxis(number),
    y: { type: "linear", label: "hypervolume", domain: padded(extent(value)) },
    layers: [
      { kind: "line", x: number, y: value, colour: "best", step: true, width: 2.5 },
      {
        kind: "points",
        x: number,
        y: value,
        colour: "best",
        unseen: true,
        targets: number.map((n, i) => ({ text: `trial ${n}\nhypervolume ${num(value[i], 6)}` })),
      },
    ],
    summary: `The final value is ${num(value[value.length - 1], 6)}.`,
    note:
      "The volume between the front and the reference point: larger is better." +
      (complete ? "" : " After this trial it is not computed: too many trials are on the front."),
    columns: [
      { name: "trial", values: number },
      { name: "hypervolume", values: value },
    ],
  };
}

function members(name, study, data) {
  const [first] = data.objectives;
  const rows = [...data.front].sort((a, b) => a.values[first] - b.values[first]);
  if (rows.length === 0) return notice("No trial on the front yet.");
  const space = study.space.map((p) => p.name);
  const heads = study.space.map((p) => ({ text: p.name, number: !p.choices && p.kind !== "bool" }));
  return card(
    "Trials of the front",
    table(
      "Trials of the front",
      ["Trial", ...data.objectives.map((o) => ({ text: o, number: true })), ...heads],
      rows.map(({ number, values, params }) => [
        link(to.trial(name, number), String(number)),
        ...data.objectives.map((o) => num(values[o], 6)),
        ...space.map((p) => value(params[p])),
      ]),
    ),
  );
}
