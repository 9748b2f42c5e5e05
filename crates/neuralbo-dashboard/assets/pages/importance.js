// Parameter importance with intervals, and interactions.

import { el, put, card, notice, table, select } from "../dom.js";
import { studyPath, get } from "../api.js";
import { num, count, percent, plural, value } from "../format.js";
import { objectiveSelect } from "./parts.js";

// The same bound as in `neuralbo importance`.
const LITTLE = 0.5;
const KINDS = [
  ["total", "with interactions (total)"],
  ["first", "alone (first order)"],
  ["near_best", "near the best trial"],
];

export function create({ name }) {
  const tools = el("div", { class: "toolbar" });
  const place = el("div", {}, el("p", { class: "waiting" }, "Computing…"));
  const node = el("div", {}, tools, place);
  let chosen = null;
  let kind = "total";
  let data = null;
  let study = null;

  const paint = () => put(place, content(data, kind));
  const fetchIt = async (signal) => {
    try {
      data = await get(studyPath(name, "/importance"), { objective: chosen ?? study.objectives[0].name }, signal);
    } catch (error) {
      if (error.status === 409 || error.status === 404) return put(place, notice(error.message));
      throw error;
    }
    paint();
  };

  return {
    node,
    title: "Importance",
    async load(now, signal) {
      study = now;
      if (!tools.firstChild) {
        put(
          tools,
          objectiveSelect(study, chosen, (o) => {
            chosen = o;
            fetchIt(signal);
          }),
          select("Share of the variance", KINDS, kind, (k) => {
            kind = k;
            if (data) paint();
          }),
        );
      }
      await fetchIt(signal);
    },
  };
}

function content(data, kind) {
  const rows = data.params.filter((p) => p[kind]).sort((a, b) => b[kind].value - a[kind].value);
  const pairs = strongest(data.interactions ?? []);
  const shares = [...rows.map((p) => p[kind]), ...pairs];
  const full = top(Math.max(0, ...shares.map((s) => s.high ?? s.value)));
  return [
    card(
      "Importance",
      el(
        "p",
        { class: "note" },
        "Share of the variance of the model's mean explained by a parameter; the thin line is its interval.",
      ),
      el(
        "ul",
        { class: "bars" },
        rows.map((p) => bar(p.name, p[kind], full)),
        axis(full),
      ),
      el("p", { class: "note" }, basis(data)),
      el("details", {}, el("summary", {}, "As a table"), numbers(data.params)),
    ),
    el("div", { class: "columns" }, interactions(pairs, full), choices(data.choices ?? [])),
  ];
}

// What the model leaves is noise or structure that it misses: only repeated evaluations tell which.
function basis({ explained, noise, seen, trials }) {
  const from = seen < trials ? `${count(seen)} of ${plural(trials, "complete trial")}` : plural(trials, "complete trial");
  const repeated = noise
    ? ` Repeated evaluations give noise a share of ${percent(noise.value)} (${percent(noise.low)} to ${percent(noise.high)}).`
    : "";
  const little = explained < LITTLE ? " Read little into the shares: more trials are needed." : "";
  return `By a model of ${from}. It leaves ${percent(1 - explained)} of the variance of held-out trials unexplained.${repeated}${little}`;
}

// Both cards have the same axis, which ends at a round share.
const top = (largest) => [0.1, 0.2, 0.5].find((share) => share >= largest) ?? 1;

function axis(full) {
  const ticks = [0, 0.5, 1].map((part) => el("span", {}, percent(part * full)));
  return el("li", { class: "bar-axis", "aria-hidden": "true" }, el("span", {}), el("span", { class: "bar-ticks" }, ticks), el("span", {}));
}

function bar(name, { value: share, low, high }, largest) {
  const vars = { "--value": share / largest, "--low": (low ?? share) / largest, "--high": (high ?? share) / largest };
  return el(
    "li",
    {},
    el("span", { class: "bar-name", title: name }, name),
    el("span", { class: "bar-box", vars, "aria-hidden": "true" }, el("i", { class: "fill" }), low != null ? el("i", { class: "whisker" }) : null),
    el(
      "span",
      { class: "bar-text" },
      percent(share),
      low != null && percent(low) !== percent(high) ? el("small", { class: "quiet" }, ` (${percent(low)} to ${percent(high)})`) : null,
    ),
  );
}

function numbers(params) {
  const cell = (i) => (i ? `${num(i.value, 3)} (${num(i.low, 3)} to ${num(i.high, 3)})` : "–");
  return table(
    "Importance",
    ["Parameter", "Total", "First order", "Near the best"],
    params.map((p) => [p.name, cell(p.total), cell(p.first), cell(p.near_best)]),
  );
}

function strongest(pairs) {
  return [...pairs]
    .sort((a, b) => b.value - a.value)
    .filter((p) => p.value > 0)
    .slice(0, 10);
}

function interactions(shown, full) {
  if (shown.length === 0) return null;
  return card(
    "Interactions",
    el("p", { class: "note" }, "Variance explained only by the two parameters jointly."),
    el(
      "ul",
      { class: "bars" },
      shown.map((p) => bar(`${p.a} × ${p.b}`, p, full)),
      axis(full),
    ),
  );
}

function choices(effects) {
  if (effects.length === 0) return null;
  const largest = Math.max(1e-300, ...effects.map((e) => Math.max(Math.abs(e.low ?? e.effect), Math.abs(e.high ?? e.effect))));
  const row = (e) => {
    const share = (v) => v / largest;
    return el(
      "li",
      {},
      el("span", { class: "bar-name" }, `${e.param} = ${value(e.choice)}`),
      el(
        "span",
        {
          class: "bar-box centred",
          "aria-hidden": "true",
          vars: { "--value": share(e.effect), "--low": share(e.low ?? e.effect), "--high": share(e.high ?? e.effect) },
        },
        el("i", { class: `fill ${e.effect < 0 ? "less" : "more"}` }),
        el("i", { class: "whisker" }),
      ),
      el("span", { class: "bar-text" }, e.effect > 0 ? `+${num(e.effect, 3)}` : num(e.effect, 3)),
    );
  };
  return card(
    "Effect of each choice",
    el("p", { class: "note" }, "Difference between the value with this choice and its average."),
    el("ul", { class: "bars" }, effects.map(row)),
  );
}
