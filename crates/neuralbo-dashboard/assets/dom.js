// Elements without markup: text goes into text nodes only, so that no name or message can become HTML.

import { sentence } from "./format.js";

const SVG = "http://www.w3.org/2000/svg";

/** An element with properties (`class`, `on`, `vars` for custom properties, any attribute) and children. */
export function el(tag, props, ...children) {
  return fill(document.createElement(tag), props, children);
}

/** The same in SVG. */
export function svg(tag, props, ...children) {
  return fill(document.createElementNS(SVG, tag), props, children);
}

function fill(node, props, children) {
  for (const [key, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (key === "class") node.setAttribute("class", value);
    else if (key === "on") for (const [event, act] of Object.entries(value)) node.addEventListener(event, act);
    else if (key === "vars") for (const [name, v] of Object.entries(value)) node.style.setProperty(name, v);
    else node.setAttribute(key, value === true ? "" : String(value));
  }
  append(node, children);
  return node;
}

function append(node, children) {
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

/** Replaces a node's content, keeping focus and opened sections. */
export function put(node, ...children) {
  const focus = node.contains(document.activeElement) && document.activeElement !== node ? path(node, document.activeElement) : null;
  const unfolded = [...node.querySelectorAll("details")].map((details) => details.open);
  node.replaceChildren();
  append(node, children);
  node.querySelectorAll("details").forEach((details, i) => (details.open ||= unfolded[i] ?? false));
  if (focus) focus.reduce((at, i) => at?.children[i], node)?.focus({ preventScroll: true });
  return node;
}

function path(from, to) {
  const steps = [];
  for (let at = to; at !== from; at = at.parentElement) steps.unshift([...at.parentElement.children].indexOf(at));
  return steps;
}

export function link(href, text, props) {
  return el("a", { href, ...props }, text);
}

export function button(text, act, props) {
  return el("button", { type: "button", ...props, on: { click: act } }, text);
}

/** A card: a section with a heading. */
export function card(title, ...children) {
  return el("section", { class: "card" }, title ? el("h2", {}, title) : null, children);
}

/** A notice instead of content. */
export function notice(text, kind = "") {
  return el("p", { class: `notice ${kind}` }, sentence(text));
}

/** A labelled `<select>`; `options` are texts or `[value, text]`. */
export function select(label, options, chosen, act) {
  const box = el("select", { on: { change: () => act(box.value) } });
  for (const option of options) {
    const [value, text] = Array.isArray(option) ? option : [option, option];
    box.append(el("option", { value, selected: value === chosen }, text));
  }
  return el("label", { class: "field" }, el("span", {}, label), box);
}

/** A table from column heads and rows of texts or nodes; a head `{text, number: true}` is right-aligned. */
export function table(caption, heads, rows, props) {
  const head = (h) => (typeof h === "string" ? { text: h } : h);
  const cell = (value, i) => el("td", { class: head(heads[i]).number ? "num" : null }, value);
  return el(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": caption, ...props },
    el(
      "table",
      {},
      el("caption", { class: "unseen" }, caption),
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          heads.map((h) => el("th", { scope: "col", class: head(h).number ? "num" : null }, head(h).text)),
        ),
      ),
      el(
        "tbody",
        {},
        rows.map((row) => el("tr", {}, row.map(cell))),
      ),
    ),
  );
}

/** Announces a text to screen readers. */
export function announce(text) {
  const place = document.getElementById("announce");
  if (place) place.textContent = text;
}
