// Learning curves: intermediate values of trials.

import { el, put, notice, select } from "../dom.js";
import { studyPath, get } from "../api.js";
import { num, count, plural } from "../format.js";
import { Figure } from "../chart/figure.js";
import { extent, trialAxis, valueAxis, logHelps, logPossible } from "../chart/scale.js";
import { STATES } from "../chart/palette.js";
import { targets } from "./parts.js";

export function create({ name }) {
  const log = el("input", { type: "checkbox" });
  const names = el("span", {});
  const figure = new Figure("Learning curves", { height: 420, controls: [names, el("label", { class: "check" }, log, "log scale")] });
  const said = el("div", {});
  const box = el("div", { class: "card", hidden: true }, figure.node);
  let chosen = null;
  let data = null;
  let study = null;
  let decided = false;

  const paint = () => {
    const values = data.curves.flatMap((c) => c.value);
    log.disabled = !logPossible(values);
    if (!decided) log.checked = !log.disabled && logHelps(values);
    figure.set(spec(name, study, data, chosen, log.checked && !log.disabled));
  };
  log.addEventListener("change", () => {
    decided = true;
    paint();
  });

  const fetchIt = async (signal) => {
    data = await get(studyPath(name, "/reports"), { name: chosen, curves: 200 }, signal);
    const empty = data.curves.length === 0;
    box.hidden = empty;
    put(
      said,
      empty
        ? notice('No trial has reported an intermediate value. A program reports one by a line such as {"step": 3, "value": 0.7}.')
        : null,
    );
    if (empty) return;
    if (!names.firstChild && data.names.length > 1) {
      put(
        names,
        select("Reported", data.names, chosen ?? data.names[0], (n) => {
          chosen = n;
          decided = false;
          fetchIt(signal);
        }),
      );
    }
    paint();
  };

  return {
    node: el("div", {}, said, box),
    title: "Learning curves",
    load(now, signal) {
      study = now;
      return fetchIt(signal);
    },
  };
}

function spec(name, study, data, chosen, log) {
  const label = chosen ?? data.names[0] ?? "value";
  const goal = study.objectives.find((o) => o.name === label) ?? study.objectives[0];
  const order = [...data.curves].sort((a, b) => rank(a, study) - rank(b, study));
  const lines = order.map((c) => ({
    kind: "line",
    x: c.step,
    y: c.value,
    colour: c.number === study.best?.number ? "best" : STATES[c.state].colour,
    width: c.number === study.best?.number ? 3 : 1.1,
    alpha: c.number === study.best?.number ? 1 : 0.45,
    dash: c.state === "pruned" ? [4, 3] : undefined,
  }));
  const ends = order.map((c) => ({ ...c, at: c.step[c.step.length - 1], last: c.value[c.value.length - 1] }));
  const marks = Object.entries(STATES).flatMap(([state, look]) => {
    const kept = ends.filter((e) => e.state === state);
    return kept.length
      ? [
          {
            kind: "points",
            x: kept.map((e) => e.at),
            y: kept.map((e) => e.last),
            colour: look.colour,
            shape: look.shape,
            size: 3,
            targets: targets(
              name,
              kept.map((e) => e.number),
              (i) => `${state} at step ${kept[i].at}\n${label} ${num(kept[i].last, 6)}`,
            ),
          },
        ]
      : [];
  });
  const values = data.curves.flatMap((c) => c.value);
  const steps = data.curves.flatMap((c) => c.step);
  const last = extent(steps)?.[1] ?? 0;
  const rungs = (data.rungs ?? []).filter((step) => step <= last);
  return {
    x: trialAxis(steps, "step"),
    y: valueAxis(values, { label, direction: goal.direction, log }),
    layers: [...rungs.map((step) => ({ kind: "rule", x: step, colour: "muted" })), ...lines, ...marks],
    legend: [
      ...Object.entries(STATES)
        .filter(([s]) => order.some((c) => c.state === s))
        .map(([s, look]) => ({ name: s, colour: look.colour, shape: look.shape })),
      ...(order.some((c) => c.number === study.best?.number) ? [{ name: "best trial", colour: "best" }] : []),
    ],
    summary: `${plural(data.curves.length, "curve")} over steps.`,
    note: [
      data.total > data.curves.length ? `${count(data.curves.length)} of ${plural(data.total, "trial")} are shown.` : "",
      rungs.length ? `Dashed lines: the rungs at which trials are judged (steps ${rungs.join(", ")}).` : "",
    ].join(" "),
    columns: [
      { name: "trial", values: ends.map((e) => e.number) },
      { name: "state", values: ends.map((e) => e.state) },
      { name: "last step", values: ends.map((e) => e.at) },
      { name: label, values: ends.map((e) => e.last) },
    ],
  };
}

// The best trial is drawn last, above all others.
function rank(curve, study) {
  if (curve.number === study.best?.number) return 3;
  return { failed: 0, pruned: 1, complete: 2, running: 2 }[curve.state] ?? 0;
}
