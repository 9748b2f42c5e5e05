// One trial: parameters, result and origin.

import { el, put, link, card, notice, table } from "../dom.js";
import { studyPath, get, isReport } from "../api.js";
import { rowOf } from "../rows.js";
import { num, exact, duration, moment, value, plural, constraint, domain } from "../format.js";
import { to } from "../router.js";
import { Figure } from "../chart/figure.js";
import { extent, padded, trialAxis } from "../chart/scale.js";
import { attributes, stateChip, copy, facts, fact, trialLinks } from "./parts.js";
import { why } from "./why.js";
import { noteForm } from "./actions.js";

export function create({ name, route, info, changed }) {
  const number = route.trial;
  const node = el("div", {});
  const edit = el("section", { class: "card edit", hidden: true });
  let noted = false;
  let shown = "";
  return {
    node,
    title: `Trial ${number}`,
    async load(study, signal) {
      const found = await fetchTrial(name, number, signal);
      const answer = { ...found, provenance: found.provenance ?? found.trial.provenance };
      const text = JSON.stringify([found, study.best?.number]);
      if (text === shown) return;
      shown = text;
      put(node, head(name, study, answer), body(name, study, answer), edit);
      if (info.editable && !noted) {
        noted = true;
        edit.hidden = false;
        const send = (note) => [studyPath(name, `/trials/${number}/note`), { note }];
        put(edit, el("h2", {}, "Note"), noteForm(send, answer.note ?? answer.attributes?.note, changed));
      }
    },
  };
}

async function fetchTrial(name, number, signal) {
  try {
    return await get(studyPath(name, `/trials/${number}`), {}, signal);
  } catch (error) {
    const row = isReport ? await rowOf(name, number) : null;
    if (!row) throw error;
    const trial = { ...row, started_ms: row.started, finished_ms: row.finished, asked_ms: row.asked };
    return {
      trial,
      provenance: { origin: row.origin },
      reports: [],
      attributes: {},
      feasible: row.feasible,
      on_front: row.on_front,
      resumed_by: [],
    };
  }
}

function head(name, study, { trial, feasible, on_front }) {
  const n = trial.number;
  const marks = [
    n === study.best?.number ? el("span", { class: "chip good" }, "best") : null,
    on_front && study.objectives.length > 1 ? el("span", { class: "chip good" }, "on the Pareto front") : null,
    feasible === false && study.outcome_constraints.length ? el("span", { class: "chip failed" }, "not feasible") : null,
  ];
  return el(
    "div",
    { class: "trial-head" },
    el("h2", {}, `Trial ${n}`),
    stateChip(trial.state),
    marks,
    el("span", { class: "space" }),
    n > 0 ? link(to.trial(name, n - 1), "← Previous trial", { class: "button" }) : null,
    link(to.trial(name, n + 1), "Next trial →", { class: "button" }),
  );
}

function body(name, study, answer) {
  const { trial } = answer;
  const failure = answer.failure ?? trial.failure;
  return [
    answer.note ? el("p", { class: "said" }, answer.note) : null,
    failure
      ? el(
          "section",
          { class: "card failure" },
          el("h2", {}, `Failed: ${failure.kind}`),
          el("pre", { tabindex: "0" }, failure.message || "No message."),
        )
      : null,
    el(
      "div",
      { class: "columns" },
      card("Result", outcome(study, answer)),
      card(
        "Origin of this point",
        why(name, study, answer).map((line) => el("p", {}, line)),
        relatives(name, answer),
      ),
    ),
    el(
      "div",
      { class: "columns" },
      card("Parameters", parameters(study, trial), el("div", { class: "row" }, copy(trial.params ?? {}))),
      card("Timing", timing(answer)),
    ),
    curves(study, answer.reports ?? []),
    attributes(answer.attributes ?? {}),
    answer.log_tail ? card("End of output", el("pre", { class: "log", tabindex: "0" }, answer.log_tail)) : null,
  ];
}

function outcome(study, { trial }) {
  const values = trial.values ?? {};
  if (Object.keys(values).length === 0) return notice(trial.state === "running" ? "Still running." : "No value.");
  const bounds = new Map(study.outcome_constraints.map((c) => [c.name, c]));
  const known = [...study.objectives.map((o) => o.name), ...study.outcome_constraints.map((c) => c.name)];
  const names = [...known.filter((n) => n in values), ...Object.keys(values).filter((n) => !known.includes(n))];
  return facts(
    names.map((n) =>
      fact(n, el("span", { title: exact(values[n]) }, num(values[n], 7)), bounds.has(n) ? ` ${within(bounds.get(n), values[n])}` : null),
    ),
  );
}

function within(c, v) {
  const satisfied = (c.at_most == null || v <= c.at_most) && (c.at_least == null || v >= c.at_least);
  return `${satisfied ? "✓" : "✗ violates"} ${constraint(c)}`;
}

function relatives(name, { provenance, resumed_by }) {
  return [
    provenance?.resumes != null
      ? el("p", {}, "Resumes ", link(to.trial(name, provenance.resumes), `trial ${provenance.resumes}`), ".")
      : null,
    resumed_by?.length ? el("p", {}, "Resumed by trials ", trialLinks(name, resumed_by)) : null,
  ];
}

function parameters(study, trial) {
  const given = trial.params ?? {};
  const known = study.space.map((p) => [
    p.name,
    p.name in given ? el("b", { title: exact(given[p.name]) }, value(given[p.name], 8)) : el("span", { class: "quiet" }, "inactive"),
    el("span", { class: "quiet" }, domain(p)),
  ]);
  const names = new Set(study.space.map((p) => p.name));
  const other = Object.keys(given)
    .filter((n) => !names.has(n))
    .map((n) => [n, value(given[n], 8), el("span", { class: "quiet" }, "no longer in the space")]);
  return table("Parameters", ["Name", "Value", "Domain"], [...known, ...other]);
}

function timing({ trial, provenance, attempt }) {
  const { asked_ms: asked, started_ms: started, finished_ms: finished } = trial;
  const tries = attempt ?? trial.attempt;
  return [
    facts(
      fact("Duration", started && finished ? duration(finished - started) : "–"),
      fact("Waited", asked && started ? duration(started - asked) : "–"),
      fact("Choosing", provenance?.suggest_ms != null ? duration(provenance.suggest_ms) : "–"),
    ),
    el(
      "dl",
      { class: "params wide" },
      [
        ["Worker", trial.worker || "–"],
        ["Attempt", tries ?? "–"],
        ["Asked", moment(asked)],
        ["Started", moment(started)],
        ["Finished", moment(finished)],
        ["Definition", `version ${trial.version ?? 1}`],
      ].map(([k, v]) => el("div", {}, el("dt", {}, k), el("dd", {}, String(v)))),
    ),
  ];
}

function curves(study, reports) {
  const filled = reports.filter((r) => r.step.length);
  if (filled.length === 0) return null;
  return el(
    "div",
    { class: filled.length > 1 ? "columns" : null },
    filled.map((report) => {
      const figure = new Figure(`Reports: ${report.name}`, { height: 220 });
      const at = report.step.map((s, i) => ({ text: `step ${s}\n${report.name} ${num(report.value[i], 6)}` }));
      figure.set({
        x: trialAxis(report.step, "step"),
        y: { type: "linear", label: report.name, domain: padded(extent(report.value)) },
        layers: [
          { kind: "line", x: report.step, y: report.value, colour: "best" },
          { kind: "points", x: report.step, y: report.value, colour: "best", size: 2.5, targets: at },
        ],
        summary: `${plural(report.step.length, "intermediate value")}; the last is ${num(report.value[report.value.length - 1])}.`,
        columns: [
          { name: "step", values: report.step },
          { name: report.name, values: report.value },
        ],
      });
      return el("div", { class: "card" }, figure.node);
    }),
  );
}
