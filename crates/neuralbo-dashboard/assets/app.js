// The single page: shows the addressed view, keeps it up to date, and tolerates server outages.

import { el, put, link, button, notice, announce } from "./dom.js";
import { get, listen, isReport, ApiError } from "./api.js";
import { moment } from "./format.js";
import { parse, to } from "./router.js";
import { theme, turn } from "./theme.js";
import { shortcuts, showHelp } from "./keys.js";
import { isPage, studyShell } from "./pages/shell.js";
import * as studies from "./pages/studies.js";
import * as compare from "./pages/compare.js";

const REST = 2000;
const main = document.getElementById("main");
const status = el("span", { class: "live", role: "status" });
const crumbs = el("nav", { class: "crumbs", "aria-label": "Breadcrumbs" });
let info = { version: "", editable: false, report: isReport };
let view = null;

function header() {
  const names = { system: "system", light: "light", dark: "dark" };
  const shade = button("", () => name(turn()), { class: "plain theme" });
  const name = (now) => {
    shade.textContent = { system: "◐", light: "☀", dark: "☾" }[now];
    shade.setAttribute("aria-label", `Colours: ${names[now]}. Change`);
    shade.title = `Colours: ${names[now]}`;
  };
  name(theme());
  put(
    document.getElementById("bar"),
    link(to.studies(), [el("img", { src: iconAddress(), alt: "", width: 26, height: 26 }), el("span", { class: "brand" }, "neuralbo")], {
      class: "home",
      "aria-label": "neuralbo: all studies",
    }),
    crumbs,
    el("span", { class: "space" }),
    status,
    isReport ? null : link(to.compare(), "Compare", { class: "compare-link" }),
    shade,
    button("?", showHelp, { class: "plain", "aria-label": "Help and keyboard shortcuts" }),
  );
}

function iconAddress() {
  return document.querySelector('link[rel="icon"]')?.getAttribute("href") ?? "";
}

function setStatus(state) {
  const words = { live: "live", waiting: "server unreachable, retrying", still: isReport ? `report of ${moment(info.written)}, neuralbo ${info.version}` : "" };
  status.className = `live ${state}`;
  status.textContent = words[state] ?? "";
}

/** A view that loads now and on request, rate-limited by its response time. */
class View {
  constructor(page, route) {
    this.page = page;
    this.route = route;
    this.ended = new AbortController();
    this.timer = null;
    this.busy = false;
  }

  async load() {
    this.busy = true;
    main.setAttribute("aria-busy", "true");
    const begun = performance.now();
    try {
      await this.page.load(this.ended.signal);
      if (!this.ended.signal.aborted) this.say(null);
    } catch (error) {
      if (this.ended.signal.aborted) return;
      this.say(error);
      if (error.status === 404) this.unknown();
    }
    if (this.ended.signal.aborted) return;
    this.busy = false;
    main.setAttribute("aria-busy", "false");
    this.rest = Math.max(REST, 5 * (performance.now() - begun));
    this.last = performance.now();
    if (this.again) this.refresh();
  }

  // At most one refresh at a time, and none while the page is hidden.
  refresh() {
    this.again = true;
    if (this.busy || this.timer || document.hidden) return;
    this.timer = setTimeout(
      () => {
        this.timer = null;
        this.again = false;
        this.load();
      },
      Math.max(0, this.last + this.rest - performance.now()),
    );
  }

  // There is nothing to follow where nothing is.
  unknown() {
    this.close?.();
    this.shell?.clear();
    setStatus("still");
  }

  say(error) {
    const place = main.querySelector(".problem") ?? main.insertBefore(el("div", { class: "problem" }), main.firstChild);
    if (!error) return put(place);
    if (!(error instanceof ApiError)) console.error(error);
    const away = error instanceof ApiError && error.status === 0;
    put(
      place,
      notice(
        away ? "The server does not respond. This page shows the last known state and reconnects automatically." : error.message,
        away ? "calm" : "bad",
      ),
    );
    if (away) setTimeout(() => this.refresh(), 3000);
  }

  end() {
    this.ended.abort();
    clearTimeout(this.timer);
    this.close?.();
    this.page.leave?.();
  }
}

function unknown() {
  return { title: "Not found", node: notice("There is no page at this address."), load: async () => {} };
}

function show() {
  const parsed = parse(location.hash);
  const route = parsed.study && !isPage(parsed.page) ? { page: "unknown", query: parsed.query } : parsed;
  const kept = view && route.study && view.route.study === route.study ? view.shell : null;
  view?.end();
  const context = { route, info, get, changed: () => view.refresh() };
  const shell = route.study ? (kept ?? studyShell(route.study)) : null;
  const page = shell ? shell.open(context) : ({ studies, compare }[route.page]?.create(context) ?? unknown());
  view = new View(page, route);
  view.shell = shell;
  put(main, el("div", { class: "problem" }), page.node);
  document.title = page.title ? `${page.title} – neuralbo` : "neuralbo";
  put(crumbs, route.study ? link(to.study(route.study), route.study) : null);
  window.scrollTo(0, 0);
  if (show.before) main.querySelector("h1")?.focus({ preventScroll: true });
  if (show.before) announce(page.title ?? "");
  show.before = true;
  follow();
  view.load();
}

// Browsers limit streams per server, so hidden pages close theirs.
function follow() {
  view.close?.();
  const { study } = view.route;
  if (!study || document.hidden) return setStatus("still");
  const here = view;
  here.close = listen(study, () => here.refresh(), setStatus);
}

document.addEventListener("visibilitychange", () => {
  if (!view) return;
  follow();
  if (!document.hidden) view.refresh();
});
window.addEventListener("hashchange", () => {
  if (location.hash === "#main") {
    main.focus();
    return history.replaceState(null, "", "#/");
  }
  show();
});
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});

header();
shortcuts(() => view);
try {
  info = await get("/api/info");
} catch {
  // The page shows the error when it loads.
}
if (isReport && !location.hash) {
  const list = await get("/api/studies").catch(() => null);
  if (list?.studies.length === 1) history.replaceState(null, "", to.study(list.studies[0].name));
}
show();
