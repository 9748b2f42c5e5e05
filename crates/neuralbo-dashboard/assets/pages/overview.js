// A study at a glance: the best trial first.

import { el, put, link, card, notice } from "../dom.js";
import { studyPath, get, isReport } from "../api.js";
import { num, count, percent, plusMinus, plural, constraint, domain, sentence, value, workerName } from "../format.js";
import { to } from "../router.js";
import { progressFigure } from "./progress.js";
import { frontCharts } from "./front.js";
import { attributes, params, copy, trialLinks, facts, fact } from "./parts.js";
import { actions } from "./actions.js";

const LIST = 6;

export function create(context) {
  const { name } = context;
  const hero = el("section", { class: "card hero", "aria-label": "Best trial" });
  const side = el("section", { class: "card", "aria-label": "Counts" });
  const advice = el("section", { class: "card" }, el("h2", {}, "What next"), el("p", { class: "waiting" }, "Computing…"));
  const below = el("div", {});
  const said = el("div", {});
  const chart = progressFigure(name);
  const front = frontCharts(name);
  const edit = actions(context);
  let [asked, waiting] = [null, false];

  // The model may be slow: nothing waits for it, and it is queried again only after changes.
  async function askModel(study, signal) {
    if (waiting || asked === study.seq) return;
    [asked, waiting] = [study.seq, true];
    await whatNext(name, advice, signal);
    waiting = false;
  }

  const node = el(
    "div",
    {},
    said,
    el("div", { class: "columns lead" }, hero, side),
    front.node,
    el("div", { class: "card" }, chart.node),
    el("div", { class: "columns" }, advice, below),
    edit.node,
  );
  return {
    node,
    title: "Overview",
    async load(study, signal) {
      put(hero, best(name, study));
      put(side, tally(name, study));
      const { note, ...others } = study.attributes ?? {};
      put(said, note ? el("p", { class: "said" }, value(note)) : null);
      put(below, about(study), attributes(others));
      edit.set(study);
      if (study.objectives.length > 1) await front.load(study, signal);
      await chart.load(study, signal);
      askModel(study, signal);
    },
  };
}

function best(name, study) {
  if (study.objectives.length > 1) return severalBest(name, study);
  const objective = study.objectives[0];
  if (!study.best) return nothingYet(name, study);
  const { number, values } = study.best;
  const measured = study.outcome_constraints.map((c) => `${c.name} ${num(values[c.name])}`);
  return [
    el("h2", {}, "Best trial"),
    el(
      "p",
      { class: "headline" },
      link(to.trial(name, number), [
        el("span", { class: "huge" }, num(values[objective.name], 6)),
        el("span", { class: "unit" }, objective.name),
      ]),
    ),
    el(
      "p",
      { class: "sub" },
      link(to.trial(name, number), `trial ${number}`),
      ` · ${objective.direction === "minimize" ? "lowest" : "highest"} of ${study.outcome_constraints.length ? plural(study.feasible, "feasible trial") : plural(study.counts.complete, "complete trial")}`,
      measured.length ? ` · feasible: ${measured.join(", ")}` : null,
    ),
    params(study.best.params, study.space),
    el(
      "div",
      { class: "row" },
      link(to.trial(name, number), "Open the trial", { class: "button primary" }),
      copy(study.best.params, "Copy parameters"),
    ),
    recommended(name, study),
  ];
}

// Under noise, and only there, the best value is biased: name the recommended trial if it differs.
function recommended(name, study) {
  const choice = study.recommended;
  if (!choice || choice.number === study.best.number) return null;
  return el(
    "p",
    { class: "note" },
    "Values look noisy: the model recommends ",
    link(to.trial(name, choice.number), `trial ${choice.number}`),
    `, expected ${plusMinus(choice.mean, choice.sd)}.`,
  );
}

function nothingYet(name, study) {
  const least = study.least_violation;
  if (study.counts.complete > 0 && study.outcome_constraints.length) {
    return [
      el("h2", {}, "No feasible trial yet"),
      el("p", {}, `${plural(study.counts.complete, "trial")} complete; none satisfies ${study.outcome_constraints.map(constraint).join(" and ")}.`),
      least
        ? [el("p", {}, "Least violation: ", link(to.trial(name, least.number), `trial ${least.number}`)), params(least.params, study.space)]
        : null,
    ];
  }
  return [
    el("h2", {}, "No result yet"),
    el("p", {}, study.counts.running ? `${plural(study.counts.running, "trial")} running.` : "The best trial will appear here."),
    study.counts.failed ? notice(`${plural(study.counts.failed, "trial")} failed.`, "bad") : null,
  ];
}

function severalBest(name, study) {
  const volume = study.hypervolume;
  if (study.front.length === 0) return nothingYet(name, study);
  return [
    el("h2", {}, "Best trials: the Pareto front"),
    el(
      "p",
      { class: "headline" },
      link(to.study(name, "front"), [
        el("span", { class: "huge" }, count(study.front.length)),
        el("span", { class: "unit" }, study.front.length === 1 ? "trial" : "trials"),
      ]),
    ),
    el(
      "p",
      { class: "sub" },
      `non-dominated in ${study.objectives.map((o) => o.name).join(", ")}`,
    ),
    el("p", {}, "Trials ", trialLinks(name, study.front)),
    volume
      ? el(
          "p",
          { class: "note" },
          `Hypervolume ${volume.value === null ? "not computed (too many trials on the front)" : num(volume.value, 6)} from the reference (${volume.reference.map((r) => num(r)).join(", ")})`,
        )
      : null,
    el("div", { class: "row" }, link(to.study(name, "front"), "See the front", { class: "button primary" })),
  ];
}

function tally(name, study) {
  const { counts, limits } = study;
  const all = counts.complete + counts.failed + counts.pruned + counts.running;
  const parts = [
    ["complete", counts.complete],
    ["pruned", counts.pruned],
    ["failed", counts.failed],
    ["running", counts.running],
  ];
  const whole = Math.max(all, limits?.trials ?? 0, 1);
  return [
    el("h2", {}, "Trials"),
    el(
      "p",
      { class: "headline" },
      link(to.study(name, "trials"), [
        el("span", { class: "huge" }, count(all)),
        limits?.trials ? el("span", { class: "unit" }, `of ${count(limits.trials)}`) : null,
      ]),
    ),
    el(
      "div",
      { class: "stack", role: "img", "aria-label": parts.map(([state, n]) => `${n} ${state}`).join(", ") },
      parts.map(([state, n]) => (n ? el("span", { class: state, vars: { "--share": n / whole } }) : null)),
    ),
    el(
      "ul",
      { class: "tally" },
      parts.map(([state, n]) =>
        el(
          "li",
          {},
          el("i", { class: `dot ${state}`, "aria-hidden": "true" }),
          link(state === "failed" ? to.study(name, "failures") : to.study(name, "trials", { state }), [el("b", {}, count(n)), ` ${state}`]),
        ),
      ),
    ),
    counts.known ? el("p", { class: "note" }, plural(counts.known, "known result")) : null,
    study.feasible !== null && study.feasible !== undefined && study.outcome_constraints.length
      ? el(
          "p",
          { class: "note" },
          link(to.study(name, "outcome-constraints"), `${count(study.feasible)} feasible`),
          ` (${percent(study.feasible / Math.max(1, counts.complete))})`,
        )
      : null,
    kinds(name, study),
    workers(name, study),
  ];
}

function kinds(name, study) {
  const found = Object.entries(study.failures ?? {}).filter(([, n]) => n > 0);
  if (found.length === 0) return null;
  return el(
    "p",
    { class: "note" },
    "Failures: ",
    found.map(([kind, n], i) => [i ? ", " : "", link(to.study(name, "failures"), `${count(n)} × ${kind}`)]),
  );
}

function workers(name, study) {
  const shown = study.workers.slice(0, 3).map(workerName).join("; ");
  const parallel = study.counts.running > study.workers.length ? ` with ${plural(study.counts.running, "trial")} at the same time` : "";
  const more = study.workers.length > 3 ? ` and ${study.workers.length - 3} more` : "";
  return el(
    "p",
    { class: "note clip" },
    study.workers.length
      ? [link(to.study(name, "timeline"), plural(study.workers.length, "worker")), `${parallel}: ${shown}${more}`]
      : isReport
        ? null
        : study.counts.running
          ? `No active worker: the ${plural(study.counts.running, "running trial")} will be lost or run again when the leases end.`
          : "No active workers.",
  );
}

async function whatNext(name, place, signal) {
  let text;
  try {
    const next = await get(studyPath(name, "/next"), {}, signal);
    text = [el("p", { class: next.stop ? "strong" : null }, next.advice), gain(next), el("p", {}, link(to.study(name, "next"), "More"))];
  } catch (error) {
    if (error.name === "AbortError") return;
    text = el("p", { class: "quiet" }, sentence(error.message));
  }
  put(place, el("h2", {}, "What next"), text);
}

function gain(next) {
  const gained = next.expected_gain;
  return gained
    ? el(
        "p",
        { class: "note" },
        `Expected gain of ${plural(gained.trials, "more trial")}: ${num(gained.mean, 3)} (at most ${num(gained.high, 3)} with a probability of 90 %)`,
      )
    : null;
}

function about(study) {
  const limits = Object.entries(study.limits ?? {})
    .filter(([, v]) => v !== null && v !== undefined)
    .map(([k, v]) => (k === "trials" ? plural(v, "trial") : `${k} ${k === "target" ? num(v) : count(v)}`));
  const rows = study.space.map((p) => el("div", {}, el("dt", {}, p.name), el("dd", {}, domain(p))));
  const shown = el("dl", { class: "params wide" }, rows.slice(0, LIST));
  const rest =
    rows.length > LIST
      ? el(
          "details",
          {},
          el("summary", {}, `${plural(rows.length - LIST, "more parameter")}`),
          el("dl", { class: "params wide" }, rows.slice(LIST)),
        )
      : null;
  return card(
    "The study",
    facts(
      fact("Parameters", count(study.space.length)),
      fact("Objectives", count(study.objectives.length)),
      fact("Limits", limits.join(", ") || "none"),
    ),
    shown,
    rest,
    study.outcome_constraints.length ? el("p", { class: "note" }, `Outcome constraints: ${study.outcome_constraints.map(constraint).join("; ")}`) : null,
    study.constraints.length ? el("p", { class: "note" }, `Constraints on parameters: ${study.constraints.join("; ")}`) : null,
    study.options?.length ? el("p", { class: "note" }, `Options: ${study.options.join(", ")}`) : null,
  );
}
