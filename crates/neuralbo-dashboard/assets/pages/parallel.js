// Parallel coordinates: one axis per parameter, one line per trial; brushing filters lines.

import { el, put, notice } from "../dom.js";
import { studyPath, get } from "../api.js";
import { num, count, value, plural } from "../format.js";
import { to, open } from "../router.js";
import { Lines } from "../chart/parallel.js";
import { paramAxis, valueAxis } from "../chart/scale.js";
import { direction, finalValues, trialLinks } from "./parts.js";

const POINTS = 2000;
const SHOWN = 8;

export function parallel({ name, query }) {
  const chart = new Lines({ picked: (number) => open(to.trial(name, number)), brushed: (kept) => tell(kept) });
  const said = el("p", { class: "note", role: "status" });
  const chooser = el("details", { class: "menu" });
  const keys = el("div", { class: "fields" });
  const list = el("p", { class: "note" });
  const empty = el("div", {});
  const box = el(
    "div",
    { class: "card" },
    el("div", { class: "toolbar" }, chooser, el("button", { type: "button", on: { click: () => clear() } }, "Show all lines")),
    said,
    chart.node,
    list,
    el("details", {}, el("summary", {}, "Brush by numbers"), keys),
  );
  let shown = null;
  let data = null;
  let now = {};

  function clear() {
    chart.clear();
    fields();
  }

  function tell(kept) {
    const rows = kept.map((i) => data.number[i]);
    const best = [...kept]
      .filter((i) => data.value[i] !== null)
      .sort((a, b) => (direction(now.study, now.objective) === "minimize" ? 1 : -1) * (data.value[a] - data.value[b]));
    said.textContent = `${count(rows.length)} of ${plural(data.number.length, "line")}${data.total > data.number.length ? ` (${count(data.total)} trials in total)` : ""}. Stronger lines are better trials, grey ones have no value. Drag along an axis to keep the lines through that part.`;
    put(
      list,
      best.length
        ? [
            "Best of them: trials ",
            trialLinks(
              name,
              best.slice(0, 8).map((i) => data.number[i]),
            ),
          ]
        : "",
    );
  }

  function draw() {
    const { study, objective } = now;
    const chosen = study.space.filter((p) => shown.has(p.name));
    const axes = chosen.map((p) => ({ axis: paramAxis(p, data.params[p.name]), values: data.params[p.name] ?? [] }));
    axes.push({
      axis: valueAxis(data.value, { label: objective, direction: direction(study, objective) }),
      values: data.value,
      goal: true,
    });
    chart.set({
      axes,
      number: data.number,
      value: data.value,
      direction: direction(study, objective),
      text: (i) => `trial ${data.number[i]}: ${objective} ${num(data.value[i], 5)}`,
    });
    fields();
  }

  // Brushing by keyboard: two numbers per axis.
  function fields() {
    put(
      keys,
      chart
        .axes()
        .filter(({ axis }) => axis.type !== "category")
        .map(({ axis }, i) => {
          const at = chart.index(axis.label);
          const part = chart.brush(at) ?? [null, null];
          const input = (k, word) => {
            const box = el("input", {
              type: "number",
              step: "any",
              "aria-label": `${axis.label} ${word}`,
              placeholder: word,
              value: Number.isFinite(part[k]) ? num(part[k], 4).replace("−", "-") : "",
            });
            box.addEventListener("change", () =>
              chart.setBrush(
                at,
                pair.map((b, j) => (b.value === "" ? [-Infinity, Infinity][j] : Number(b.value))),
              ),
            );
            return box;
          };
          const pair = [input(0, "from"), input(1, "to")];
          return el("div", { class: "field", "data-axis": i }, el("span", {}, axis.label), el("div", { class: "row" }, pair));
        }),
    );
  }

  function choose(study) {
    shown = new Set(study.space.slice(0, SHOWN).map((p) => p.name));
    put(
      chooser,
      el("summary", { class: "button" }, "Axes"),
      el(
        "div",
        { class: "popup" },
        study.space.map((p) => {
          const box = el("input", { type: "checkbox" });
          box.checked = shown.has(p.name);
          box.addEventListener("change", () => {
            if (box.checked) shown.add(p.name);
            else shown.delete(p.name);
            draw();
          });
          return el("label", { class: "check" }, box, value(p.name));
        }),
      ),
    );
  }

  return {
    node: el("div", {}, empty, box),
    async load(study, objective, signal) {
      now = { study, objective };
      if (!shown) choose(study);
      data = finalValues(await get(studyPath(name, "/columns"), { points: POINTS, objective }, signal), query);
      box.hidden = data.number.length === 0;
      put(empty, box.hidden ? notice("No trial has finished yet.") : null);
      if (box.hidden) return;
      draw();
    },
  };
}
