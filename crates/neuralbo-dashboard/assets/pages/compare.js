// Several studies in one chart; those that differ only in a trailing number are one band.

import { el, put, link, card, notice, table } from "../dom.js";
import { num, count, plural } from "../format.js";
import { to, remember } from "../router.js";
import { Figure } from "../chart/figure.js";
import { trialAxis, valueAxis, logHelps, logPossible } from "../chart/scale.js";
import { kind } from "../chart/palette.js";
import { onTheme } from "../theme.js";

const FIRST = 8;

export function create({ get, route }) {
  const list = el("fieldset", { class: "checks studies" });
  const log = el("input", { type: "checkbox" });
  const figure = new Figure("Best so far", { height: 400, controls: [el("label", { class: "check" }, log, "log scale")] });
  const box = el("div", { class: "card", hidden: true }, figure.node);
  const said = el("div", {});
  const several = el("p", { class: "note" });
  const rows = el("div", {});
  const node = el(
    "div",
    {},
    el("div", { class: "title" }, el("h1", { tabindex: "-1" }, "Compare studies")),
    el("p", { class: "sub" }, "The best value so far of studies with one objective."),
    el("div", { class: "card" }, list, several),
    said,
    box,
    rows,
  );
  let chosen = null;
  let data = null;
  let decided = false;
  const end = onTheme(() => data && paint());
  log.addEventListener("change", () => {
    decided = true;
    paint();
  });

  function choices(studies) {
    const usable = studies.filter((s) => s.objectives?.length === 1).sort((a, b) => (b.last ?? 0) - (a.last ?? 0));
    const left = studies.filter((s) => s.objectives?.length > 1).length;
    put(several, left ? `${plural(left, "study", "studies")} with several objectives left out: their fronts have no common scale.` : "");
    // At first the latest study, with those of a related name and the same objective.
    const latest = usable.find((s) => s.best);
    const goal = ({ objectives: [o] }) => `${o.direction} ${o.name}`;
    const alike = (s) => s.best && stem(s.name) === stem(latest.name) && goal(s) === goal(latest);
    const given = route.query.studies?.split(",").map(decodeURIComponent);
    chosen ??= new Set(
      (
        given ??
        usable
          .filter(alike)
          .slice(0, FIRST)
          .map((s) => s.name)
      ).filter((n) => usable.some((s) => s.name === n)),
    );
    put(
      list,
      el("legend", {}, "Studies, the latest first"),
      usable.map((s) => {
        const input = el("input", { type: "checkbox" });
        input.checked = chosen.has(s.name);
        input.addEventListener("change", () => {
          if (input.checked) chosen.add(s.name);
          else chosen.delete(s.name);
          remember({ studies: [...chosen].map(encodeURIComponent).join(",") });
          decided = false;
          draw().catch((error) => put(said, notice(error.message, "bad")));
        });
        return el("label", { class: "check" }, input, s.name);
      }),
    );
  }

  async function draw(signal) {
    if (chosen.size === 0) {
      box.hidden = true;
      put(rows);
      return put(said, notice("Choose studies to compare."));
    }
    data = await get("/api/compare", { study: [...chosen], points: 500 }, signal);
    put(
      said,
      new Set(data.studies.map((s) => s.direction)).size > 1
        ? notice("Some of these studies minimize and others maximize: their curves have opposite directions.")
        : null,
    );
    box.hidden = false;
    paint();
    put(rows, summary(data));
  }

  function paint() {
    const values = data.studies.flatMap((s) => s.best);
    log.disabled = !logPossible(values);
    if (!decided) log.checked = !log.disabled && logHelps(values);
    figure.set(spec(data, log.checked && !log.disabled));
  }

  return {
    node,
    title: "Compare",
    leave: end,
    async load(signal) {
      const { studies } = await get("/api/studies", {}, signal);
      if (!list.firstChild) choices(studies);
      await draw(signal);
    },
  };
}

// The first word of a name: tuning of tuning-gp-3.
const stem = (name) => name.split(/[-_/ ]|\d+$/)[0];

function spec(data, log) {
  const bands = (data.groups ?? []).filter((g) => g.runs > 1);
  const grouped = new Set(bands.flatMap((g) => data.studies.filter((s) => inGroup(s.name, g.name)).map((s) => s.name)));
  const alone = data.studies.filter((s) => !grouped.has(s.name));
  const layers = [];
  const legend = [];
  bands.forEach((g, i) => {
    layers.push(
      { kind: "band", x: g.number, low: g.low, high: g.high, colour: kind(i), alpha: 0.2 },
      { kind: "line", x: g.number, y: g.mean, colour: kind(i), width: 2.5 },
      hover(g.number, g.mean, `${g.name} (${g.runs} runs)`, kind(i)),
    );
    legend.push({ name: `${g.name} (${plural(g.runs, "run")}: mean and band)`, colour: kind(i) });
  });
  alone.forEach((s, i) => {
    const tone = kind(bands.length + i);
    layers.push({ kind: "line", x: s.number, y: s.best, colour: tone, step: true, width: 2 }, hover(s.number, s.best, s.name, tone));
    legend.push({ name: s.name, colour: tone });
  });
  const values = data.studies.flatMap((s) => s.best).concat(bands.flatMap((g) => g.mean));
  return {
    x: trialAxis(data.studies.flatMap((s) => s.number), "complete trials"),
    y: valueAxis(
      values.filter((v) => v !== null),
      { label: "best so far", log, direction: data.studies[0]?.direction },
    ),
    layers,
    legend,
    summary: legend.map((l) => l.name).join(", "),
    columns: [
      { name: "study", values: data.studies.map((s) => s.name) },
      { name: "best", values: data.studies.map((s) => s.best[s.best.length - 1] ?? null) },
    ],
  };
}

function hover(x, y, name, colour) {
  return { kind: "points", x, y, colour, size: 0.1, unseen: true, targets: x.map((n, i) => ({ text: `${name}\nafter ${count(n)}: ${num(y[i], 6)}` })) };
}

function inGroup(name, group) {
  return name !== group && name.startsWith(group) && /^[-/_]?\d+$/.test(name.slice(group.length));
}

function summary(data) {
  const last = (s) => s.best[s.best.length - 1] ?? null;
  return card(
    "Final values",
    table(
      "Final values",
      ["Study", { text: "Last trial", number: true }, { text: "Best", number: true }],
      data.studies.map((s) => [link(to.study(s.name), s.name), count(s.number[s.number.length - 1]), num(last(s), 6)]),
    ),
  );
}
