// Timeline: a lane for each trial that a worker runs at the same time, one bar per trial.

import { el, put, card, notice, table, link } from "../dom.js";
import { studyPath, get } from "../api.js";
import { duration, moment, plural, count, workerName } from "../format.js";
import { to, open } from "../router.js";
import { Bars } from "../chart/bars.js";
import { entry } from "../chart/figure.js";
import { STATES } from "../chart/palette.js";

const SPANS = [
  ["all", null],
  ["last hour", 3.6e6],
  ["last 10 min", 6e5],
];

export function create({ name }) {
  const chart = new Bars({ picked: (number) => open(to.trial(name, number)) });
  const said = el("p", { class: "note" });
  const leases = el("div", {});
  const spans = el("div", { class: "switch", role: "group", "aria-label": "Time span" });
  const box = el(
    "div",
    { class: "card" },
    el("div", { class: "figure-head" }, el("h2", {}, "Workers and their trials"), spans),
    chart.node,
    el("ul", { class: "legend" }, Object.values(STATES).map((s) => entry({ name: s.word, colour: s.colour, shape: "square" }))),
    said,
  );
  const list = el("details", {}, el("summary", {}, "As a table"));
  box.append(list);
  let span = null;
  let data = null;

  const paint = () => {
    chart.set({ ...data, span, now: Date.now() });
    for (const child of spans.children) child.setAttribute("aria-pressed", String(child.dataset.span === String(span)));
    const bars = data.bars.slice(-200).reverse();
    put(
      list,
      el("summary", {}, "As a table"),
      table(
        "Trials by worker",
        ["Trial", "Worker", "State", "Start", "Duration"],
        bars.map((b) => [
          link(to.trial(name, b.number), String(b.number)),
          workerName(b.worker),
          b.state,
          moment(b.start),
          b.end ? duration(b.end - b.start) : "running",
        ]),
      ),
    );
  };
  put(
    spans,
    SPANS.map(([text, ms]) =>
      el(
        "button",
        {
          type: "button",
          "data-span": String(ms),
          on: {
            click: () => {
              span = ms;
              paint();
            },
          },
        },
        text,
      ),
    ),
  );

  return {
    node: el("div", {}, box, leases),
    title: "Timeline",
    async load(study, signal) {
      data = await get(studyPath(name, "/timeline"), { bars: 2000 }, signal);
      if (data.bars.length === 0) return put(box, notice("No trial has been started yet."));
      paint();
      const all = study.counts.complete + study.counts.failed + study.counts.pruned + study.counts.running;
      said.textContent = `${plural(data.workers.length, "worker")}, ${plural(chart.lanes.names.length, "lane")} (trials of one worker at the same time are below each other); ${all > data.bars.length ? `the last ${count(data.bars.length)} of ${count(all)} trials` : plural(data.bars.length, "trial")}.`;
      put(leases, leaseTable(name, data.leases ?? []));
    },
  };
}

function leaseTable(name, leases) {
  if (leases.length === 0) return null;
  const left = (until) =>
    until > Date.now()
      ? `ends in ${duration(until - Date.now())}`
      : until
        ? `ended ${duration(Date.now() - until)} ago`
        : "waits for a worker";
  return card(
    "Leases",
    el("p", { class: "note" }, "A running trial belongs to its worker until its lease expires; workers renew their leases."),
    table(
      "Leases",
      ["Trial", "Worker", "Lease"],
      leases.map((l) => [link(to.trial(name, l.number), String(l.number)), workerName(l.worker), left(l.until)]),
    ),
  );
}
