// Outcome constraints: how often each is satisfied, and the first feasible trial.

import { el, put, link, notice } from "../dom.js";
import { studyPath, get } from "../api.js";
import { num, count, percent, constraint } from "../format.js";
import { to } from "../router.js";
import { Figure } from "../chart/figure.js";
import { extent, padded, trialAxis } from "../chart/scale.js";
import { targets, facts, fact } from "./parts.js";

export function create({ name }) {
  const said = el("div", {});
  const grid = el("div", {});
  const figures = new Map();
  return {
    node: el("div", {}, said, grid),
    title: "Outcome constraints",
    async load(study, signal) {
      if (study.outcome_constraints.length === 0) return put(said, notice("The study has no outcome constraint."));
      const data = await get(studyPath(name, "/outcome-constraints"), {}, signal);
      put(
        said,
        el(
          "div",
          { class: "card" },
          facts(
            fact("Feasible trials", count(study.feasible), ` of ${count(study.counts.complete)} complete`),
            fact(
              "First feasible",
              data.first_feasible != null
                ? link(to.trial(name, data.first_feasible), `trial ${data.first_feasible}`)
                : "No feasible trial yet",
            ),
          ),
        ),
      );
      for (const c of data.outcome_constraints) {
        if (!figures.has(c.name)) {
          figures.set(c.name, new Figure(constraint(c), { height: 240 }));
          grid.append(el("div", { class: "card" }, figures.get(c.name).node));
        }
        figures.get(c.name).set(spec(name, c));
      }
    },
  };
}

function spec(name, c) {
  const fine = c.value.map((v) => v !== null && (c.at_most == null || v <= c.at_most) && (c.at_least == null || v >= c.at_least));
  const part = (wanted, look) => {
    const rows = c.value.map((_, i) => i).filter((i) => fine[i] === wanted && c.value[i] !== null);
    return {
      kind: "points",
      x: rows.map((i) => c.number[i]),
      y: rows.map((i) => c.value[i]),
      size: 3,
      alpha: 0.7,
      targets: targets(
        name,
        rows.map((i) => c.number[i]),
        (k) => `${c.name} ${num(c.value[rows[k]], 6)}\n${wanted ? "satisfied" : "violated"}`,
      ),
      ...look,
    };
  };
  const bounds = [c.at_most, c.at_least].filter((b) => b != null);
  const all = c.satisfied + c.violated;
  return {
    x: trialAxis(c.number),
    y: { type: "linear", label: c.name, domain: padded(extent(c.value, bounds)) },
    layers: [
      { kind: "area", from: { y: c.at_least ?? null }, to: { y: c.at_most ?? null }, colour: "good" },
      part(true, { colour: "state-complete", shape: "circle" }),
      part(false, { colour: "faint-point", shape: "cross" }),
      ...bounds.map((y) => ({ kind: "rule", y, colour: "text" })),
    ],
    legend: [
      { name: `satisfied (${count(c.satisfied)}, ${percent(c.satisfied / Math.max(1, all))})`, colour: "state-complete", shape: "circle" },
      { name: `violated (${count(c.violated)})`, colour: "faint-point", shape: "cross" },
      { name: "allowed", colour: "good", shape: "band" },
    ],
    summary: `Satisfied by ${count(c.satisfied)} of ${count(all)} trials.`,
    columns: [
      { name: "trial", values: c.number },
      { name: c.name, values: c.value },
      { name: "satisfied", values: fine },
    ],
  };
}
