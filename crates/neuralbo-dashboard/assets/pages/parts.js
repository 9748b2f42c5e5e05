// Components shared by pages.

import { el, button, link, select, announce } from "../dom.js";
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
