// What all pages of a study share: its name, its state and the tabs.

import { el, put, link, notice } from "../dom.js";
import { studyPath, get } from "../api.js";
import { to } from "../router.js";
import { count, plural } from "../format.js";
import * as overview from "./overview.js";
import * as trials from "./trials.js";
import * as trial from "./trial.js";
import * as relations from "./relations.js";
import * as importance from "./importance.js";
import * as front from "./front.js";
import * as curves from "./curves.js";
import * as outcomeConstraints from "./outcome-constraints.js";
import * as failures from "./failures.js";
import * as timeline from "./timeline.js";
import * as model from "./model.js";
import * as next from "./next.js";

const MODULES = { overview, trials, trial, relations, importance, front, curves, "outcome-constraints": outcomeConstraints, failures, timeline, model, next };
const TABS = [
  ["overview", "Overview"],
  ["trials", "Trials"],
  ["relations", "Relations"],
  ["importance", "Importance"],
  ["front", "Pareto front"],
  ["curves", "Curves"],
  ["outcome-constraints", "Outcome constraints"],
  ["failures", "Failures"],
  ["timeline", "Timeline"],
  ["model", "Model"],
  ["next", "What next"],
];

/** The frame of a study's pages, kept across navigation. */
export function studyShell(name) {
  const chip = el("span", { class: "chip" });
  const sub = el("p", { class: "sub" });
  const damage = el("div", {});
  const tabs = el("nav", { class: "tabs", "aria-label": "Pages of the study" });
  const place = el("div", { class: "page" });
  const node = el("div", {}, el("div", { class: "title" }, el("h1", { tabindex: "-1" }, name), chip), sub, damage, tabs, place);
  let study = null;
  let open = "overview";

  const pages = () => TABS.map(([page]) => page).filter((page) => wanted(page, study));

  function paint() {
    if (study) {
      chip.className = `chip ${study.state}`;
      chip.textContent = study.state;
      put(sub, describe(study));
      put(
        damage,
        (study.damage ?? []).length
          ? notice(`${plural(study.damage.length, "trial")} cannot be read: ${study.damage[0].reason}`, "bad")
          : null,
      );
    }
    const shown = pages();
    const had = document.activeElement?.getAttribute?.("data-page");
    put(
      tabs,
      TABS.filter(([page]) => shown.includes(page)).map(([page, text]) => {
        const current = page === open || (page === "trials" && open === "trial");
        const badge = page === "failures" && study?.counts.failed ? el("span", { class: "badge" }, count(study.counts.failed)) : null;
        return link(to.study(name, page), [text, badge], { "aria-current": current ? "page" : null, "data-page": page });
      }),
    );
    if (had) tabs.querySelector(`[data-page="${had}"]`)?.focus();
    const here = tabs.querySelector("[aria-current]");
    if (here) tabs.scrollLeft = Math.max(0, here.offsetLeft - tabs.clientWidth / 2 + here.offsetWidth / 2);
  }

  return {
    pages,
    best: () => study?.best?.number ?? null,
    open(context) {
      open = context.route.page;
      const page = MODULES[open].create({ ...context, name });
      put(place, page.node);
      paint();
      return {
        node,
        title: `${page.title} · ${name}`,
        leave: page.leave,
        async load(signal) {
          study = await get(studyPath(name), {}, signal);
          paint();
          await page.load(study, signal);
        },
      };
    },
  };
}

// Tabs that do not apply to this study are omitted.
function wanted(page, study) {
  if (!study) return !["front", "outcome-constraints", "curves"].includes(page);
  if (page === "front") return study.objectives.length > 1;
  if (page === "outcome-constraints") return study.outcome_constraints.length > 0;
  return true;
}

function describe(study) {
  const goals = study.objectives.map((o) => `${o.direction} ${o.name}`).join(", ");
  const reason = study.stop_reason ? ` · ${study.stop_reason}` : "";
  return `${goals} · ${study.method} · seed ${study.seed}${study.version > 1 ? ` · version ${study.version}` : ""}${reason}`;
}
