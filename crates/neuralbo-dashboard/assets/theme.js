// Light, dark or system theme, and colours for canvases.

const KEY = "neuralbo-theme";
const ORDER = ["system", "light", "dark"];
const listeners = new Set();

function stored() {
  try {
    return localStorage.getItem(KEY) ?? "system";
  } catch {
    return "system";
  }
}

let choice = ORDER.includes(stored()) ? stored() : "system";

function apply() {
  if (choice === "system") document.documentElement.removeAttribute("data-theme");
  else document.documentElement.setAttribute("data-theme", choice);
  cache = null;
  for (const listener of listeners) listener();
}

export function theme() {
  return choice;
}

/** The next of system, light and dark; returns its name. */
export function turn() {
  choice = ORDER[(ORDER.indexOf(choice) + 1) % ORDER.length];
  try {
    localStorage.setItem(KEY, choice);
  } catch {
    // Without storage the theme lasts until the page is closed.
  }
  apply();
  return choice;
}

let cache = null;

/** The value of a custom property, for canvases. */
export function colour(name) {
  cache ??= getComputedStyle(document.documentElement);
  return cache.getPropertyValue(`--${name}`).trim();
}

/** Calls back when colours change; returns a function that ends it. */
export function onTheme(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", apply);
apply();
