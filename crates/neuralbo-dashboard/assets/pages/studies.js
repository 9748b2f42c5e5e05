// All studies of the storage.

import { el, put, link, button, notice, table, card } from "../dom.js";
import { num, count, ago, plural } from "../format.js";
import { to } from "../router.js";

const NUMBERS = new Set(["Best", "Trials", "Rate", "Workers"]);
// The columns and what they are sorted by.
const SORTS = {
  Study: (s) => s.name.toLowerCase(),
  Best: (s) => s.best?.value ?? null,
  Trials: (s) => total(s.counts),
  State: (s) => s.state ?? "",
  Rate: (s) => s.rate ?? 0,
  Workers: (s) => s.workers ?? 0,
  Method: (s) => s.method ?? "",
  "Last change": (s) => s.last ?? s.created ?? 0,
};

// Studies without what they are sorted by come last.
function compare({ by, down }) {
  return (a, b) => {
    const [x, y] = [a, b].map(SORTS[by]);
    if (x === null || y === null) return (x === null) - (y === null);
    return (x < y ? -1 : x > y ? 1 : 0) * (down ? -1 : 1);
  };
}

const total = (counts) => ["running", "complete", "failed", "pruned"].reduce((sum, key) => sum + (counts?.[key] ?? 0), 0);

export function create({ get, info }) {
  const list = el("div", {}, el("p", { class: "waiting" }, "Loading…"));
  const where = el("p", { class: "sub" }, info.storage ?? "");
  const filter = el("input", { type: "search", "aria-label": "Search studies by name", placeholder: "Search by name" });
  const node = el(
    "div",
    {},
    el("div", { class: "title" }, el("h1", { tabindex: "-1" }, "Studies"), el("span", { class: "space" }), filter),
    where,
    list,
  );
  let studies = [];
  let order = { by: "Last change", down: true };
  const sortBy = (by) => {
    order = { by, down: order.by === by ? !order.down : typeof SORTS[by](studies[0]) === "number" };
    paint();
  };
  const paint = () => put(list, content(studies, filter.value.trim().toLowerCase(), order, sortBy));
  filter.addEventListener("input", paint);
  return {
    node,
    title: "Studies",
    async load(signal) {
      studies = (await get("/api/studies", {}, signal)).studies;
      filter.hidden = studies.length < 6;
      paint();
    },
  };
}

function content(studies, wanted, order, sortBy) {
  if (studies.length === 0) {
    return card(
      "No study yet",
      el("p", {}, "Create a study with a first run:"),
      el("pre", { tabindex: "0" }, "neuralbo run --study tuning --param 'lr=float(1e-5,1e-1,log)' -- python train.py --lr {lr}"),
    );
  }
  const shown = studies
    .filter((study) => study.name.toLowerCase().includes(wanted))
    .sort(compare(order));
  if (shown.length === 0) return notice("No study with this name.");
  const heads = Object.keys(SORTS).map((by) => ({
    text: button([by, order.by === by ? (order.down ? " ▼" : " ▲") : ""], () => sortBy(by), { class: "sort" }),
    number: NUMBERS.has(by),
  }));
  return [
    el("p", { class: "note" }, plural(shown.length, "study", "studies")),
    table("Studies", heads, shown.map(row), { class: "scroll card flush whole" }),
  ];
}

function row(study) {
  if (study.error)
    return [
      study.name,
      "–",
      "–",
      el("span", { class: "chip failed" }, "unreadable"),
      "–",
      "–",
      "–",
      el("span", { class: "bad" }, study.error),
    ];
  return [
    link(to.study(study.name), study.name, { class: "strong" }),
    best(study),
    tally(study),
    el("span", { class: `chip ${study.state}` }, study.state),
    study.rate && study.state === "running" ? `${count(study.rate)} / h` : "–",
    count(study.workers ?? 0),
    study.method,
    el("span", { class: "quiet" }, ago(study.last ?? study.created)),
  ];
}

function tally({ counts, limits }) {
  const more = ["pruned", "failed"].filter((key) => counts[key]).map((key) => `${count(counts[key])} ${key}`);
  const budget = limits?.trials ? ` / ${count(limits.trials)}` : "";
  return el("span", {}, `${count(total(counts))}${budget}`, more.length ? el("span", { class: "quiet" }, ` (${more.join(", ")})`) : null);
}

function best(study) {
  if (study.objectives.length > 1) return el("span", { class: "quiet" }, plural(study.objectives.length, "objective"));
  if (!study.best) return "–";
  const { direction } = study.objectives[0];
  return [
    link(to.trial(study.name, study.best.number), num(study.best.value, 5), { title: `trial ${study.best.number}` }),
    el("span", { class: "quiet", title: direction }, direction === "minimize" ? " ↓" : " ↑", el("span", { class: "unseen" }, direction)),
  ];
}
