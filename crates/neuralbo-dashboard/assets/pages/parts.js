// Components shared by pages.

import { el, button, card, link, select, announce, table } from "../dom.js";
import { value, exact, plural } from "../format.js";
import { to, open } from "../router.js";
import { STATES } from "../chart/palette.js";

/** Parameters as a list of names and values. */
export function params(values, space) {
  const known = (space ?? []).map((p) => p.name).filter((name) => name in (values ?? {}));
  const names = [...known, ...Object.keys(values ?? {}).filter((name) => !known.includes(name))];
  return el(
    "dl",
    { class: "params" },
    names.map((name) => el("div", {}, el("dt", {}, name), el("dd", { title: exact(values[name]) }, value(values[name], 6)))),
  );
}

/** A button that copies an object as JSON. */
export function copy(object, text = "Copy as JSON") {
  const node = button(
    text,
    async () => {
      try {
        await navigator.clipboard.writeText(JSON.stringify(object));
        node.textContent = "Copied";
        announce("Copied");
      } catch {
        node.textContent = "Copying is not permitted";
      }
      setTimeout(() => (node.textContent = text), 1500);
    },
    { class: "small" },
  );
  return node;
}

/** A card with the attributes of a trial or a study; null if there are none. */
export function attributes(given) {
  const names = Object.keys(given);
  if (names.length === 0) return null;
  const shown = (v) =>
    typeof v === "object" && v !== null
      ? el("pre", { tabindex: "0" }, JSON.stringify(v, null, 2))
      : typeof v === "number"
        ? exact(v)
        : String(v);
  const rows = names.map((n) => [n, shown(given[n])]);
  return card("Attributes", table("Attributes", ["Key", "Value"], rows));
}

/** A chip with a trial's state. */
export function stateChip(state) {
  return el("span", { class: `chip ${state}` }, state);
}

/** Chooses the objective if there are several. */
export function objectiveSelect(study, chosen, act) {
  const names = study.objectives.map((o) => o.name);
  return names.length > 1 ? select("Objective", names, chosen, act) : null;
}

export function direction(study, objective) {
  return (study.objectives.find((o) => o.name === objective) ?? study.objectives[0]).direction;
}

/** Tooltip and link of a point, one per trial number. */
export function targets(study, numbers, text) {
  return numbers.map((number, i) => ({ text: `trial ${number}\n${text(i)}`, open: () => open(to.trial(study, number)) }));
}

/** The parameters of row `i` of columns, for a tooltip. */
export function paramLines({ params: all }, i, most = 10) {
  const there = Object.keys(all).filter((name) => all[name][i] !== null);
  const lines = there.slice(0, most).map((name) => `${name} ${value(all[name][i])}`);
  return [...lines, ...(there.length > most ? [`and ${plural(there.length - most, "more parameter")}`] : [])].join("\n");
}

/** Point layers by state from columns `{number, state, …}`: colour and shape differ. */
export function byState(columns, x, y, text, study, { spread = 0, ...extra } = {}) {
  const layers = [];
  for (const [state, look] of Object.entries(STATES)) {
    const rows = columns.state.map((s, i) => (s === state && y[i] !== null && x[i] !== null ? i : -1)).filter((i) => i >= 0);
    if (rows.length === 0) continue;
    const pick = (values) => rows.map((i) => values[i]);
    layers.push({
      kind: "points",
      state,
      x: pick(x),
      y: pick(y),
      colour: look.colour,
      shape: look.shape,
      size: 3,
      alpha: 0.75,
      shift: spread ? pick(columns.number).map((n) => jitter(n) * spread) : undefined,
      targets: targets(study, pick(columns.number), (k) => text(rows[k])),
      ...extra,
    });
  }
  return layers;
}

/** The legend of the states that layers show. */
export function stateLegend(layers) {
  return layers.filter((layer) => layer.state).map((layer) => ({ name: layer.state, colour: layer.colour, shape: layer.shape }));
}

/** Links to trials, truncated. */
export function trialLinks(study, numbers, most = 12) {
  const shown = numbers.slice(0, most).map((n, i) => [i ? ", " : "", link(to.trial(study, n), String(n))]);
  return el("span", { class: "links" }, shown, numbers.length > most ? ` and ${plural(numbers.length - most, "more", "more")}` : null);
}

/** A labelled number. */
export function fact(name, text, more) {
  return el("div", { class: "fact" }, el("dt", {}, name), el("dd", {}, text, more ? el("small", {}, more) : null));
}

export const facts = (...items) => el("dl", { class: "facts" }, items);

/** Jitter from −1 to 1 that depends only on the trial number. */
export function jitter(n) {
  const x = Math.sin(n * 12.9898) * 43758.5453;
  return (x - Math.floor(x)) * 2 - 1;
}

/** Two selects for the parameters of a map; at first the two that tell most about the value. */
export function pairSelect(place, names, { query, columns, changed }) {
  const ranked = [...names].sort((a, b) => told(columns, b) - told(columns, a));
  if (!names.includes(query.x)) query.x = ranked[0];
  if (!names.includes(query.y) || query.y === query.x) query.y = ranked.find((n) => n !== query.x);
  place.replaceChildren(select("Across", names, query.x, changed("x")), select("Up", names, query.y, changed("y")));
}

// The share of the variance of the values' ranks that lies between groups of neighbouring settings.
function told({ params, value: values, state }, name) {
  const column = params[name] ?? [];
  const rows = column.map((_, i) => i).filter((i) => column[i] !== null && values[i] !== null && state[i] === "complete");
  const rank = new Map([...rows].sort((a, b) => values[a] - values[b]).map((row, i) => [row, i / rows.length - 0.5]));
  rows.sort((a, b) => (column[a] < column[b] ? -1 : column[a] > column[b] ? 1 : 0));
  const size = Math.max(1, Math.ceil(rows.length / 8));
  let between = 0;
  for (let i = 0; i < rows.length; i += size) {
    const group = rows.slice(i, i + size);
    between += group.reduce((sum, row) => sum + rank.get(row), 0) ** 2 / group.length;
  }
  return rows.length ? between / rows.length : 0;
}
