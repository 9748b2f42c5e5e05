// The trial table: sorted, filtered and searched by the server; only visible rows are drawn.

import { el, put, link, button, notice, announce } from "../dom.js";
import { csvAddress, get, isReport, studyPath } from "../api.js";
import { Rows } from "../rows.js";
import { num, count, duration, plural, value, ago } from "../format.js";
import { to, open, remember } from "../router.js";
import { stateChip } from "./parts.js";

const HEIGHT = 34;
const EXTRA = 12;
const COLUMNS = 8;

export function create({ name, route }) {
  const view = new TrialTable(name, { state: "", search: "", where: "", sort: "number", desc: "1", ...route.query });
  return { node: view.node, title: "Trials", load: (study, signal) => view.load(study, signal), leave: () => view.rows?.end() };
}

class TrialTable {
  constructor(name, query) {
    Object.assign(this, { name, query });
    this.said = el("p", { class: "note", role: "status" });
    this.problem = el("div", {});
    this.head = el("tr", {});
    this.body = el("tbody", {});
    this.grid = el("table", { class: "trials" }, el("caption", { class: "unseen" }, "Trials"), el("thead", {}, this.head), this.body);
    this.box = el(
      "div",
      { class: "viewport", tabindex: "0", role: "region", "aria-label": "Trial table: arrow keys move between rows, Enter opens a trial" },
      this.grid,
    );
    this.box.addEventListener("scroll", () => this.soon());
    this.box.addEventListener("keydown", (event) => this.key(event));
    this.body.addEventListener("click", (event) => this.click(event));
    this.node = el("div", {}, this.tools(), this.problem, this.said, el("div", { class: "card flush" }, this.box));
    this.sizes = new ResizeObserver(() => this.soon());
    this.sizes.observe(this.box);
  }

  tools() {
    const search = el("input", {
      type: "search",
      placeholder: "Search",
      "aria-label": "Search trials",
      value: this.query.search,
    });
    const where = el("input", {
      type: "text",
      placeholder: "e.g. lr < 0.01",
      "aria-label": "Filter by expression",
      value: this.query.where,
      spellcheck: "false",
    });
    later(search, () => this.ask({ search: search.value.trim() }));
    later(where, () => this.ask({ where: where.value.trim() }));
    const states = ["complete", "running", "pruned", "failed"].map((state) => this.stateBox(state));
    this.more = el("details", { class: "menu" });
    this.csv = link("", "Download CSV", { class: "button", download: "" });
    return el(
      "div",
      { class: "toolbar" },
      el("label", { class: "field grow" }, el("span", {}, "Search"), search),
      isReport ? null : el("label", { class: "field grow" }, el("span", {}, "Where"), where),
      el("fieldset", { class: "checks" }, el("legend", {}, "States"), states),
      this.more,
      isReport ? null : this.csv,
    );
  }

  stateBox(state) {
    const box = el("input", { type: "checkbox" });
    const given = this.query.state ? this.query.state.split(",") : [];
    box.checked = given.includes(state);
    box.addEventListener("change", () => {
      const now = new Set(this.query.state ? this.query.state.split(",") : []);
      if (box.checked) now.add(state);
      else now.delete(state);
      this.ask({ state: [...now].join(",") });
    });
    return el("label", { class: "check" }, box, state);
  }

  async load(study, signal) {
    if (!this.study) {
      this.columns = [...columns(study), ...(await this.attributes(signal))];
      this.chooseColumns();
    }
    this.study = study;
    if (!this.rows) return this.ask({});
    signal.throwIfAborted();
    const [from, to] = this.range();
    await this.rows.want(from, to, true);
  }

  // The names of the attributes of the last trials.
  async attributes(signal) {
    if (isReport) return [];
    const { trials } = await get(studyPath(this.name, "/trials"), { limit: 50, sort: "number", desc: "1", attributes: "1" }, signal);
    return [...new Set(trials.flatMap((t) => Object.keys(t.attributes ?? {})))].sort().map(attributeColumn);
  }

  /** Starts a new query and updates the address. */
  async ask(changes) {
    Object.assign(this.query, changes);
    const { desc, ...rest } = this.query;
    remember({ ...rest, desc: desc || "" });
    const { state, search, where } = rest;
    this.csv.href = csvAddress(this.name, { state, search, where });
    this.rows?.end();
    this.rows = new Rows(
      this.name,
      { ...rest, desc: desc || null, attributes: this.shown().some((c) => c.attribute) ? "1" : null },
      () => this.paint(),
      (error) => this.fail(error),
    );
    this.box.scrollTop = 0;
    this.at = 0;
    this.paintHead();
    await this.rows.want(0, 60);
  }

  fail(error) {
    put(this.problem, notice(error.message, "bad"));
  }

  chooseColumns() {
    const boxes = this.columns
      .filter((c) => c.optional)
      .map((column) => {
        const box = el("input", { type: "checkbox" });
        box.checked = column.shown;
        box.addEventListener("change", () => {
          column.shown = box.checked;
          if (column.attribute) return this.ask({});
          this.paintHead();
          this.paint();
        });
        return el("label", { class: "check" }, box, column.name);
      });
    put(this.more, el("summary", { class: "button" }, "Columns"), el("div", { class: "popup" }, boxes));
  }

  shown() {
    return this.columns.filter((c) => c.shown);
  }

  paintHead() {
    const active = document.activeElement?.getAttribute?.("data-sort");
    put(
      this.head,
      this.shown().map((column) => {
        if (!column.sort) return el("th", { scope: "col" }, column.name);
        const sorted = this.query.sort === column.sort;
        const arrow = sorted ? (this.query.desc ? " ▼" : " ▲") : "";
        const act = () => this.sortBy(column, sorted);
        return el(
          "th",
          {
            scope: "col",
            class: column.number ? "num" : null,
            "aria-sort": sorted ? (this.query.desc ? "descending" : "ascending") : "none",
          },
          button([column.name, el("span", { "aria-hidden": "true" }, arrow)], act, { class: "sort", "data-sort": column.sort }),
        );
      }),
    );
    if (active) [...this.head.querySelectorAll("[data-sort]")].find((b) => b.dataset.sort === active)?.focus();
  }

  sortBy(column, sorted) {
    const desc = sorted ? !this.query.desc : column.sort === "number";
    announce(`Sorted by ${column.name}, ${desc ? "descending" : "ascending"}`);
    this.ask({ sort: column.sort, desc: desc ? "1" : "" });
  }

  range() {
    const first = Math.max(0, Math.floor(this.box.scrollTop / HEIGHT) - EXTRA);
    return [first, first + Math.ceil((this.box.clientHeight || 600) / HEIGHT) + 2 * EXTRA];
  }

  soon() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      if (this.rows) this.paint();
    });
  }

  paint() {
    const { rows } = this;
    if (rows.matched === null) return;
    put(this.problem);
    this.said.textContent =
      rows.matched === rows.total ? plural(rows.total, "trial") : `${count(rows.matched)} of ${plural(rows.total, "trial")}`;
    const [first, end] = this.range();
    const last = Math.min(end, rows.matched);
    const shown = this.shown();
    this.grid.setAttribute("aria-rowcount", rows.matched + 1);
    const focused = document.activeElement?.closest?.("tr[data-i]") && this.body.contains(document.activeElement) ? this.at : null;
    const lines = [spacer(first, shown.length)];
    for (let i = first; i < last; i += 1) lines.push(this.line(i, shown));
    lines.push(spacer(Math.max(0, rows.matched - last), shown.length));
    put(this.body, rows.matched === 0 ? el("tr", {}, el("td", { colspan: shown.length, class: "none" }, rows.total ? "No trial matches." : "No trial yet.")) : lines);
    if (focused !== null) this.body.querySelector(`tr[data-i="${focused}"]`)?.focus({ preventScroll: true });
    rows.want(first, Math.max(first + 1, last));
  }

  line(i, shown) {
    const trial = this.rows.row(i);
    const cells = shown.map((column) => el("td", { class: column.number ? "num" : null }, trial ? column.cell(trial, this.name) : "…"));
    const best = trial && (trial.number === this.study.best?.number || trial.on_front);
    return el(
      "tr",
      {
        "data-i": i,
        "aria-rowindex": i + 2,
        tabindex: i === this.at ? "0" : "-1",
        class: best
          ? "best"
          : trial && trial.feasible === false && this.study.outcome_constraints.length && trial.state === "complete"
            ? "infeasible"
            : null,
      },
      cells,
    );
  }

  click(event) {
    const i = event.target.closest("tr[data-i]")?.dataset.i;
    const trial = i && this.rows.row(Number(i));
    if (trial && !event.target.closest("a")) open(to.trial(this.name, trial.number));
  }

  key(event) {
    const page = Math.max(1, Math.floor(this.box.clientHeight / HEIGHT) - 2);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    if (event.target.closest("button, a")) return;
    if (event.key === "Enter") {
      const trial = this.rows?.row(this.at);
      if (trial) open(to.trial(this.name, trial.number));
    } else if (event.key in steps) {
      event.preventDefault();
      this.at = Math.min(this.rows.matched - 1, Math.max(0, this.at + steps[event.key]));
      const top = this.at * HEIGHT;
      if (top < this.box.scrollTop) this.box.scrollTop = top;
      if (top > this.box.scrollTop + this.box.clientHeight - 3 * HEIGHT) this.box.scrollTop = top - this.box.clientHeight + 3 * HEIGHT;
      this.paint();
      this.body.querySelector(`tr[data-i="${this.at}"]`)?.focus({ preventScroll: true });
    }
  }
}

function spacer(rows, columns) {
  return rows
    ? el("tr", { class: "spacer", "aria-hidden": "true", vars: { "--space": `${rows * HEIGHT}px` } }, el("td", { colspan: columns }))
    : null;
}

function later(input, act) {
  let timer = null;
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(act, 250);
  });
}

// The value of a pruned trial is its last report.
function objectiveCell(t, name) {
  const text = num(t.values?.[name], 6);
  return t.state === "pruned" && text !== "–" ? el("span", { class: "quiet", title: "last report of a pruned trial" }, `(${text})`) : text;
}

const attributeColumn = (name) => ({ name, attribute: true, optional: true, shown: false, cell: (t) => value(t.attributes?.[name]) });

// The table's columns; the reader selects parameters beyond the first few.
function columns(study) {
  const objectives = study.objectives.map((o) => ({
    name: o.name,
    sort: study.objectives.length === 1 ? "value" : o.name,
    number: true,
    cell: (t) => objectiveCell(t, o.name),
  }));
  const limited = study.outcome_constraints.map((c) => ({
    name: c.name,
    number: true,
    optional: true,
    shown: true,
    cell: (t) => num(t.values?.[c.name], 5),
  }));
  const params = study.space.map((p, i) => ({
    name: p.name,
    sort: `param:${p.name}`,
    number: !p.choices && p.kind !== "bool",
    optional: true,
    shown: i < COLUMNS,
    cell: (t) => value(t.params?.[p.name]),
  }));
  const always = (column) => ({ shown: true, ...column });
  return [
    always({
      name: "Trial",
      sort: "number",
      number: true,
      cell: (t, name) => link(to.trial(name, t.number), String(t.number), { tabindex: "-1" }),
    }),
    always({
      name: "State",
      sort: "state",
      cell: (t) => [
        stateChip(t.state),
        t.failure ? el("span", { class: "quiet" }, ` ${t.failure.kind}`) : null,
        t.on_front ? el("span", { class: "mark", title: "on the Pareto front" }, " ★") : null,
      ],
    }),
    ...objectives.map(always),
    ...limited,
    ...params,
    {
      name: "Duration",
      sort: "duration",
      number: true,
      optional: true,
      shown: true,
      cell: (t) => (t.started && t.finished ? duration(t.finished - t.started) : "–"),
    },
    { name: "Finished", sort: "finished", optional: true, shown: true, cell: (t) => el("span", { class: "quiet" }, ago(t.finished)) },
    { name: "Worker", optional: true, shown: false, cell: (t) => t.worker ?? "–" },
    { name: "Origin", optional: true, shown: false, cell: (t) => t.origin ?? "–" },
  ];
}
