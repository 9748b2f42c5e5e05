// Parameters and values: slices, contours, parallel coordinates.

import { el, put, button } from "../dom.js";
import { remember } from "../router.js";
import { objectiveSelect } from "./parts.js";
import { slices } from "./slices.js";
import { contour } from "./contour.js";
import { parallel } from "./parallel.js";
import { rank, distribution } from "./ranks.js";

const PARTS = {
  slices: ["Slices", slices],
  contour: ["Contour", contour],
  rank: ["Rank", rank],
  parallel: ["Parallel coordinates", parallel],
  distribution: ["Distribution", distribution],
};

// The views that may show last reports as values.
const VALUES = new Set(["slices", "parallel"]);

export function create({ name, route }) {
  const query = { view: "slices", ...route.query };
  const tabs = el("div", { class: "switch", role: "tablist", "aria-label": "View" });
  const objective = el("span", {});
  const pruned = el("input", { type: "checkbox" });
  const reports = el("label", { class: "check", hidden: true }, pruned, "last reports of pruned trials, which are no final values");
  pruned.checked = Boolean(query.pruned);
  pruned.addEventListener("change", () => {
    query.pruned = pruned.checked ? "1" : "";
    remember(query);
    load();
  });
  const place = el("div", { role: "tabpanel", id: "relations-panel", "aria-label": "View" });
  const node = el("div", {}, el("div", { class: "toolbar" }, tabs, objective, reports), place);
  let study = null;
  let part = null;

  function choose(view) {
    query.view = view in PARTS ? view : "slices";
    remember(query);
    paintTabs();
    part = PARTS[query.view][1]({ name, query, remember: () => remember(query) });
    put(place, part.node);
    if (study) return load();
  }

  function paintTabs() {
    put(
      tabs,
      Object.entries(PARTS).map(([view, [text]]) =>
        button(text, () => choose(view), {
          role: "tab",
          "data-view": view,
          "aria-selected": String(view === query.view),
          "aria-controls": "relations-panel",
          tabindex: view === query.view ? "0" : "-1",
        }),
      ),
    );
  }

  tabs.addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    const names = Object.keys(PARTS);
    choose(names[(names.indexOf(query.view) + by + names.length) % names.length]);
    tabs.querySelector("[aria-selected=true]").focus();
  });

  function load(signal) {
    reports.hidden = !(study.counts.pruned && VALUES.has(query.view));
    return part.load(study, query.objective ?? study.objectives[0].name, signal);
  }

  choose(query.view);
  return {
    node,
    title: "Relations",
    leave: () => part.leave?.(),
    async load(now, signal) {
      study = now;
      if (!objective.firstChild) {
        put(
          objective,
          objectiveSelect(study, query.objective, (chosen) => {
            query.objective = chosen;
            remember(query);
            load();
          }),
        );
      }
      await load(signal);
    },
  };
}
