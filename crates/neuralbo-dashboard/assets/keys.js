// Keyboard shortcuts, which can be disabled, and their help dialog.

import { el, button } from "./dom.js";
import { open, to } from "./router.js";
import { turn } from "./theme.js";

const OFF = "neuralbo-keys-off";
const LIST = [
  ["s", "all studies"],
  ["b", "the best trial"],
  ["[  ]", "previous page, next page"],
  ["j  k", "next trial, previous trial"],
  ["/", "search the trial table"],
  ["c", "change colours"],
  ["?", "this help"],
];

const off = () => {
  try {
    return localStorage.getItem(OFF) === "1";
  } catch {
    return false;
  }
};

function typing(target) {
  return target.closest?.("input, textarea, select, dialog, [contenteditable]");
}

/** Listens for single keys; `current` returns the visible view. */
export function shortcuts(current) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
    if (event.key === "?") return showHelp();
    if (!off() && act(event.key, current())) event.preventDefault();
  });
}

function act(key, view) {
  const study = view?.route.study;
  if (key === "s") open(to.studies());
  else if (key === "c") document.querySelector("button.theme")?.click() ?? turn();
  else if (key === "b" && view?.shell?.best() != null) open(to.trial(study, view.shell.best()));
  else if (key === "/" && study) return search(study);
  else if ("[]".includes(key) && study) step(view, key === "]" ? 1 : -1);
  else if ("jk".includes(key) && view?.route.page === "trial")
    open(to.trial(study, Math.max(0, view.route.trial + (key === "j" ? 1 : -1))));
  else return false;
  return true;
}

function step(view, by) {
  const pages = view.shell.pages();
  const now = Math.max(0, pages.indexOf(view.route.page));
  open(to.study(view.route.study, pages[(now + by + pages.length) % pages.length]));
}

function search(study) {
  const box = document.querySelector("input[type=search]");
  if (box) box.focus();
  else open(to.study(study, "trials"));
  return true;
}

/** The help dialog. */
export function showHelp() {
  const box = el("input", { type: "checkbox" });
  box.checked = !off();
  box.addEventListener("change", () => {
    try {
      localStorage.setItem(OFF, box.checked ? "0" : "1");
    } catch {
      box.checked = true;
    }
  });
  const dialog = el(
    "dialog",
    { "aria-labelledby": "help-title" },
    el("h2", { id: "help-title" }, "Help"),
    el(
      "p",
      {},
      "Hover over a point to see its trial, click to open it. Drag over a chart to zoom, double-click to reset. By keyboard: the arrow keys step through the points of a chart, Enter opens one, Escape ends the zoom. Every chart can be shown as a table.",
    ),
    el(
      "dl",
      { class: "keys" },
      LIST.map(([key, what]) => [el("dt", {}, el("kbd", {}, key)), el("dd", {}, what)]),
    ),
    el("label", { class: "check" }, box, "Use single keys as shortcuts"),
    el(
      "div",
      { class: "row end" },
      button("Close", () => dialog.close(), { class: "primary" }),
    ),
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
