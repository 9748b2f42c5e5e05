// Failures by kind, with messages and locations.

import { el, put, link, card, notice } from "../dom.js";
import { studyPath, get } from "../api.js";
import { count, percent, plural, value } from "../format.js";
import { to } from "../router.js";
import { Figure } from "../chart/figure.js";
import { paramAxis } from "../chart/scale.js";
import { trialLinks, targets, jitter } from "./parts.js";

const POINTS = 1000;
const MEANING = {
  exit: "the program exited with a non-zero status",
  signal: "the program was killed by a signal",
  timeout: "it exceeded its time limit",
  parse: "its last line is not a number",
  nonfinite: "the value is NaN or infinite",
  start: "it could not be started",
  lost: "its worker died",
  error: "the objective reported an error",
  interrupted: "it was interrupted",
};

export function create({ name }) {
  const list = el("div", {});
  const where = el(
    "section",
    { hidden: true },
    el("h2", {}, "Location"),
    el(
      "p",
      { class: "note" },
      "Failed trials above, all others below, along each parameter. Avoid regions with crosses but no dots.",
    ),
  );
  const grid = el("div", { class: "grid" });
  where.append(grid);
  const figures = new Map();
  return {
    node: el("div", {}, list, where),
    title: "Failures",
    async load(study, signal) {
      const data = await get(studyPath(name, "/failures"), {}, signal);
      const all = data.kinds.reduce((sum, k) => sum + k.count, 0);
      put(list, all === 0 ? notice("No trial has failed.", "good") : data.kinds.map((k) => kind(name, k, all, study)));
      where.hidden = all === 0;
      if (all === 0) return;
      const columns = await get(studyPath(name, "/columns"), { points: POINTS }, signal);
      for (const p of study.space) {
        if (!figures.has(p.name)) {
          figures.set(p.name, new Figure(p.name, { height: 130, compact: true, level: 3 }));
          grid.append(el("div", { class: "card" }, figures.get(p.name).node));
        }
        figures.get(p.name).set(strip(name, p, data.where, columns));
      }
    },
  };
}

function kind(name, { kind: what, count: n, message, trials }, all, study) {
  const begun = study.counts.complete + study.counts.failed + study.counts.pruned;
  return card(
    null,
    el("div", { class: "title" }, el("h2", {}, what), el("span", { class: "chip failed" }, plural(n, "trial"))),
    el(
      "p",
      { class: "note" },
      [MEANING[what], `${percent(n / Math.max(1, begun))} of finished trials`, n < all ? `${percent(n / all)} of failures` : null]
        .filter(Boolean)
        .join(" · "),
    ),
    message ? [el("p", { class: "note" }, "Latest message:"), el("pre", { tabindex: "0" }, message)] : null,
    el("p", {}, "Trials ", trialLinks(name, trials, 20), " · ", link(to.study(name, "trials", { state: "failed" }), "all in the table")),
  );
}

// Two rows with jitter that depends only on the trial number.
function strip(name, p, failed, columns) {
  const axis = paramAxis(p, (failed.params[p.name] ?? []).concat(columns.params[p.name] ?? []));
  const rows = (xs, keep) => xs.map((_, i) => i).filter((i) => xs[i] !== null && xs[i] !== undefined && keep(i));
  const layer = (xs, numbers, kept, row, look) => ({
    kind: "points",
    x: kept.map((i) => xs[i]),
    y: kept.map(() => row),
    lift: kept.map((i) => jitter(numbers[i]) * 12),
    shift: axis.type === "category" ? kept.map((i) => jitter(numbers[i] + 7) * 12) : undefined,
    targets: targets(
      name,
      kept.map((i) => numbers[i]),
      (k) => `${row}\n${p.name} ${value(xs[kept[k]])}`,
    ),
    ...look,
  });
  const bad = failed.params[p.name] ?? [];
  const good = columns.params[p.name] ?? [];
  const lost = rows(bad, () => true);
  const kept = rows(good, (i) => columns.state[i] !== "failed");
  return {
    x: axis,
    y: { type: "category", categories: ["other", "failed"] },
    fixed: true,
    layers: [
      layer(good, columns.number, kept, "other", { colour: "faint-point", size: 2, alpha: 0.6 }),
      layer(bad, failed.number, lost, "failed", { colour: "state-failed", shape: "cross", size: 2.8, alpha: 0.8 }),
    ],
    summary: `${count(lost.length)} failed trials along ${p.name}.`,
    columns: [
      { name: "failed trial", values: lost.map((i) => failed.number[i]) },
      { name: p.name, values: lost.map((i) => bad[i]) },
    ],
  };
}
