// All studies of the storage.

import { el, put, link, notice, table, card } from "../dom.js";
import { num, count, ago, plural } from "../format.js";
import { to } from "../router.js";

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
  const paint = () => put(list, content(studies, filter.value.trim().toLowerCase()));
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

function content(studies, wanted) {
  if (studies.length === 0) {
    return card(
      "No study yet",
      el("p", {}, "Create a study with a first run:"),
      el("pre", { tabindex: "0" }, "neuralbo run --study tuning --param 'lr=float(1e-5,1e-1,log)' -- python train.py --lr {lr}"),
    );
  }
  const shown = studies
    .filter((study) => study.name.toLowerCase().includes(wanted))
    .sort((a, b) => (b.last ?? b.created ?? 0) - (a.last ?? a.created ?? 0));
  if (shown.length === 0) return notice("No study with this name.");
  const heads = [
    "Study",
    { text: "Best", number: true },
    { text: "Trials", number: true },
    "State",
    { text: "Rate", number: true },
    { text: "Workers", number: true },
    "Method",
    "Last change",
  ];
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
    tally(study.counts),
    el("span", { class: `chip ${study.state}` }, study.state),
    study.rate ? `${num(study.rate, 3)} / h` : "–",
    count(study.workers ?? 0),
    study.method,
    el("span", { class: "quiet" }, ago(study.last ?? study.created)),
  ];
}

function tally(counts) {
  const all = ["running", "complete", "failed", "pruned"].reduce((sum, key) => sum + (counts[key] ?? 0), 0);
  return el("span", {}, count(all), counts.failed ? el("span", { class: "quiet" }, ` (${count(counts.failed)} failed)`) : null);
}

function best(study) {
  if (study.objectives.length > 1) return el("span", { class: "quiet" }, plural(study.objectives.length, "objective"));
  if (!study.best) return "–";
  return link(to.trial(study.name, study.best.number), num(study.best.value, 5), { title: `trial ${study.best.number}` });
}
