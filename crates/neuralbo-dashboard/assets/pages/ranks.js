// Ranks of the values over two parameters, and the distribution of the values.

import { el, put, notice } from "../dom.js";
import { studyPath, get } from "../api.js";
import { num, count, percent, plural } from "../format.js";
import { Figure } from "../chart/figure.js";
import { paramAxis, valueAxis } from "../chart/scale.js";
import { mapped, css } from "../chart/palette.js";
import { colour, onTheme } from "../theme.js";
import { direction, jitter, pairSelect, paramLines, targets } from "./parts.js";

const POINTS = 2000;
const ALL = 50_000;

// Complete trials with a value, the best one first.
function ranked(columns, goal) {
  const rows = columns.number.map((_, i) => i).filter((i) => columns.state[i] === "complete" && columns.value[i] !== null);
  return rows.sort((a, b) => (columns.value[a] - columns.value[b]) * (goal === "minimize" ? 1 : -1));
}

/** Trials over two parameters, coloured by the rank of their value. */
export function rank({ name, query, remember }) {
  const choose = el("div", { class: "toolbar" });
  const said = el("div", {});
  const figure = new Figure("Rank", { height: 420 });
  const box = el("div", { class: "card" }, figure.node);
  let [columns, now] = [null, {}];
  const end = onTheme(() => (box.isConnected ? columns && draw() : end()));
  const changed = (axis) => (chosen) => {
    query[axis] = chosen;
    remember();
    draw();
  };

  function draw() {
    const { study, objective } = now;
    const [px, py] = [query.x, query.y].map((n) => study.space.find((p) => p.name === n));
    const [x, y] = [px, py].map((p) => columns.params[p.name] ?? []);
    const all = ranked(columns, direction(study, objective));
    const shown = all.map((row, place) => ({ row, place })).filter(({ row }) => x[row] != null && y[row] != null);
    const pick = (column) => shown.map(({ row }) => column[row]);
    // Trials with the same setting stand beside each other.
    const spread = (p, salt) => (p.kind === "float" ? undefined : pick(columns.number).map((n) => 14 * jitter(2 * n + salt)).reverse());
    // Better values contrast more with the page, as in contours and parallel coordinates.
    const light = colour("dark") !== "1";
    const tone = (share) => css(mapped("viridis", light ? share : 1 - share));
    figure.set({
      x: paramAxis(px, x),
      y: paramAxis(py, y),
      // The best trials are drawn last, on top.
      layers: [
        {
          kind: "points",
          x: pick(x).reverse(),
          y: pick(y).reverse(),
          shift: spread(px, 0),
          lift: spread(py, 1),
          size: 4,
          colour: "text",
          colours: shown.map(({ place }) => tone(place / Math.max(1, all.length - 1))).reverse(),
          targets: targets(
            name,
            pick(columns.number),
            (k) => `rank ${count(shown[k].place + 1)} of ${count(all.length)}\n${objective} ${num(columns.value[shown[k].row], 6)}\n${paramLines(columns, shown[k].row)}`,
          ).reverse(),
        },
      ],
      legend: [0, 0.5, 1].map((share) => ({ name: ["best rank", "middle", "worst rank"][share * 2], colour: tone(share), shape: "circle" })),
      summary: `${plural(shown.length, "complete trial")} over ${px.name} and ${py.name}.`,
      note: all.length > shown.length ? `${plural(all.length - shown.length, "trial")} without one of the two parameters left out.` : "",
      columns: [
        { name: "rank", values: shown.map(({ place }) => place + 1) },
        { name: "trial", values: pick(columns.number) },
        { name: px.name, values: pick(x) },
        { name: py.name, values: pick(y) },
        { name: objective, values: pick(columns.value) },
      ],
    });
  }

  return {
    node: el("div", {}, choose, said, box),
    async load(study, objective, signal) {
      now = { study, objective };
      const names = study.space.map((p) => p.name);
      columns = await get(studyPath(name, "/columns"), { points: POINTS, objective }, signal);
      const none = names.length < 2 ? "Ranks need two parameters." : ranked(columns, "minimize").length ? "" : "No complete trial yet.";
      box.hidden = Boolean(none);
      put(said, none ? notice(none) : null);
      if (none) return;
      if (!choose.firstChild) pairSelect(choose, names, { query, columns, changed });
      draw();
    },
  };
}

/** The empirical distribution function of the values of complete trials. */
export function distribution({ name }) {
  const figure = new Figure("Empirical distribution of the values", { height: 380 });
  const box = el("div", { class: "card" }, figure.node);
  const said = el("div", {});
  return {
    node: el("div", {}, said, box),
    async load(study, objective, signal) {
      const columns = await get(studyPath(name, "/columns"), { points: ALL, objective, params: study.space.slice(0, 1).map((p) => p.name) }, signal);
      const rows = ranked(columns, "minimize");
      box.hidden = rows.length === 0;
      put(said, rows.length ? null : notice("No complete trial yet."));
      if (rows.length === 0) return;
      const x = rows.map((i) => columns.value[i]);
      const share = rows.map((_, k) => (k + 1) / rows.length);
      const at = targets(
        name,
        rows.map((i) => columns.number[i]),
        (k) => `${objective} ${num(x[k], 6)}\n${percent(share[k])} of the complete trials are not above it`,
      );
      figure.set({
        x: valueAxis(x, { label: objective, direction: direction(study, objective) }),
        y: { type: "linear", label: "share of complete trials", domain: [0, 1.02] },
        layers: [
          { kind: "line", x: [x[0], ...x], y: [0, ...share], colour: "state-complete", step: true },
          { kind: "points", x, y: share, colour: "state-complete", size: 0.1, targets: at },
        ],
        legend: [{ name: "share of trials with at most this value", colour: "state-complete" }],
        summary: `${plural(rows.length, "complete trial")}; half of them have at most ${num(x[Math.ceil(rows.length / 2) - 1], 6)}.`,
        note: columns.total > columns.number.length ? `An even sample of ${count(columns.number.length)} of ${plural(columns.total, "trial")}, with the best.` : "",
        columns: [
          { name: objective, values: x },
          { name: "share", values: share },
        ],
      });
    },
  };
}
