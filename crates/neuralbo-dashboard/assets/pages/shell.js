// What all pages of a study share: its name, its state and the tabs.

import { el, put, link, notice } from "../dom.js";
import { studyPath, get } from "../api.js";
import { to } from "../router.js";
import { count, plural } from "../format.js";
import { PAGES } from "../pages.js";
import * as trial from "./trial.js";

const find = (name) => (name === "trial" ? trial : PAGES.find((page) => page.name === name)?.module);

/** Whether a study has a page of this name. */
export const isPage = (name) => Boolean(find(name));

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

  const shown = () => PAGES.filter((page) => page.applies?.(study) ?? true);

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
    const had = document.activeElement?.getAttribute?.("data-page");
    put(
      tabs,
      shown().map(({ name: page, tab }) => {
        const current = page === open || (page === "trials" && open === "trial");
        const badge = page === "failures" && study?.counts.failed ? el("span", { class: "badge" }, count(study.counts.failed)) : null;
        return link(to.study(name, page), [tab, badge], { "aria-current": current ? "page" : null, "data-page": page });
      }),
    );
    if (had) tabs.querySelector(`[data-page="${had}"]`)?.focus();
    const here = tabs.querySelector("[aria-current]");
    if (here) tabs.scrollLeft = Math.max(0, here.offsetLeft - tabs.clientWidth / 2 + here.offsetWidth / 2);
  }

  return {
    pages: () => shown().map((page) => page.name),
    best: () => study?.best?.number ?? null,
    /** Without a study only the way back is left. */
    clear() {
      if (!study) put(node, el("h1", { tabindex: "-1" }, name), el("p", {}, link(to.studies(), "All studies")));
    },
    open(context) {
      open = context.route.page;
      const page = find(open).create({ ...context, name });
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

function describe(study) {
  const goals = study.objectives.map((o) => `${o.direction} ${o.name}`).join(", ");
  const reason = study.stop_reason ? ` · ${study.stop_reason.replace(/\b\d{4,}\b/g, (n) => count(Number(n)))}` : "";
  return `${goals} · ${study.method} · seed ${study.seed}${study.version > 1 ? ` · definition ${study.version} (its space or settings have changed)` : ""}${reason}`;
}
