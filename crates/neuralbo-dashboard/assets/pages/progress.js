// Values over trials with the best so far.

import { el, select } from "../dom.js";
import { studyPath, get } from "../api.js";
import { num, count, plural } from "../format.js";
import { Figure } from "../chart/figure.js";
import { trialAxis, valueAxis, logHelps, logPossible } from "../chart/scale.js";
import { byState, stateLegend, targets } from "./parts.js";

/** The progress of a study; `load(study)` fetches and draws it. */
export function progressFigure(name) {
  const log = el("input", { type: "checkbox" });
  const objectives = el("span", {});
  const figure = new Figure("Progress", { height: 300, controls: [objectives, el("label", { class: "check" }, log, "log scale")] });
  let data = null;
  let chosen = 0;
  let complete = 0;
  let decided = false;
  log.addEventListener("change", () => {
    decided = true;
    paint();
  });

  function chooser(study) {
    if (objectives.firstChild || study.objectives.length < 2) return;
    const options = study.objectives.map((o, i) => [String(i), o.name]);
    objectives.append(
      select("Objective", options, "0", (v) => {
        chosen = Number(v);
        decided = false;
        paint();
      }),
    );
  }

  function paint() {
    const series = data.objectives[chosen];
    const possible = logPossible(series.value);
    log.disabled = !possible;
    if (!decided) log.checked = possible && logHelps(series.value.concat(series.best));
    figure.set(spec(name, series, log.checked && possible, complete, data.without_value));
  }

  return {
    node: figure.node,
    async load(study, signal) {
      data = await get(studyPath(name, "/progress"), { points: 2000 }, signal);
      figure.plot.node.hidden = data.objectives.every((series) => series.number.length === 0);
      complete = Math.max(study.counts.complete, data.objectives[0]?.number.length ?? 0);
      chooser(study);
      paint();
    },
  };
}

function spec(name, series, log, total, without) {
  const { number, value, best, direction, feasible } = series;
  if (number.length === 0)
    return {
      x: { type: "linear", domain: [0, 1], label: "trial" },
      y: { type: "linear", domain: [0, 1], label: series.name },
      layers: [],
      note: "No complete trial yet.",
    };
  const many = number.length > 600;
  const shown = valueAxis(value, { label: series.name, log, direction, include: best });
  const at = targets(name, number, (i) => `${series.name} ${num(value[i], 6)}\nbest so far ${num(best[i], 6)}`, true);
  const final = best[best.length - 1];
  const first = Math.max(0, value.indexOf(final));
  const last = Math.max(number[number.length - 1], ...without.number.slice(-1));
  return {
    x: trialAxis([...number, ...without.number]),
    y: shown,
    layers: [
      ...values(series, at, many),
      ...rug(name, without, shown.domain[0]),
      { kind: "line", x: [...number, last], y: [...best, final], colour: "best", width: 2.5, step: true },
      { kind: "points", x: [number[first]], y: [final], colour: "best", edge: "card", shape: "star", size: 9, targets: [at[first]] },
    ],
    legend: [
      { name: "value of a trial", colour: "state-complete", shape: "circle" },
      ...(feasible ? [{ name: "not feasible", colour: "faint-point", shape: "cross" }] : []),
      ...stateLegend(rug(name, without, 0)),
      { name: "best so far", colour: "best" },
      { name: "best trial", colour: "best", shape: "star" },
    ],
    summary: `${plural(total, "complete trial")}; the best ${series.name} is ${num(final, 6)}.`,
    note:
      total > number.length ? `${count(number.length)} of ${count(total)} complete trials are shown, including every new best.` : "",
    columns: [
      { name: "trial", values: number },
      { name: series.name, values: value },
      { name: "best so far", values: best },
    ],
  };
}

// Pruned and failed trials have no final value: they stand at the foot of the chart.
function rug(name, without, foot) {
  return byState(without, without.number, without.number.map(() => foot), (i) => without.state[i], name, { alpha: 0.8, more: true });
}

// Infeasible values may lie below the best: they are crosses.
function values({ number, value, feasible }, at, many) {
  const part = (wanted, look) => {
    const rows = number.map((_, i) => i).filter((i) => (feasible?.[i] ?? true) === wanted);
    const pick = (column) => rows.map((i) => column[i]);
    return { kind: "points", x: pick(number), y: pick(value), size: many ? 2 : 3, targets: pick(at), ...look };
  };
  return [
    part(false, { colour: "faint-point", shape: "cross", alpha: 0.8 }),
    part(true, { colour: "state-complete", alpha: many ? 0.4 : 0.6 }),
  ];
}
