// Edits, if the server allows them: enqueue a trial, stop, rename or delete a study, change its limits, notes and attributes.

import { el, put, button, announce } from "../dom.js";
import { studyPath, post, keepToken, forgetToken, hasToken } from "../api.js";
import { key, value } from "../format.js";
import { to, open } from "../router.js";

/** Asks for the token once; resolves to false if none was given. */
export function token() {
  if (hasToken()) return Promise.resolve(true);
  return new Promise((resolve) => {
    const box = el("input", { type: "password", autocomplete: "off", required: true, id: "token" });
    const form = el(
      "form",
      { method: "dialog" },
      el("h2", { id: "token-title" }, "Token"),
      el("p", {}, "Changes require the token printed when the dashboard started. It is kept until this tab is closed."),
      el("label", { class: "field", for: "token" }, el("span", {}, "Token"), box),
      el(
        "div",
        { class: "row end" },
        button("Cancel", () => dialog.close()),
        el("button", { type: "submit", class: "primary" }, "Continue"),
      ),
    );
    const dialog = el("dialog", { "aria-labelledby": "token-title" }, form);
    form.addEventListener("submit", () => keepToken(box.value.trim()));
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(hasToken());
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** Posts a change and reports the outcome in `place`. */
export async function change(place, path, body, done) {
  if (!(await token())) return false;
  try {
    await post(path, body);
    put(place, el("span", { class: "good" }, done));
    announce(done);
    return true;
  } catch (error) {
    if (error.status === 401 || error.status === 403) forgetToken();
    put(place, el("span", { class: "bad" }, error.message));
    announce(error.message);
    return false;
  }
}

/** The section of a study's actions; empty without edit permission. */
export function actions({ name, info, changed }) {
  const node = el("section", { class: "card edit", hidden: true, "aria-label": "Actions" });
  let built = false;
  return {
    node,
    set(study) {
      if (!info.editable || built) return;
      built = true;
      node.hidden = false;
      put(
        node,
        el("h2", {}, "Actions"),
        el(
          "div",
          { class: "columns" },
          stopForm(name, changed),
          limitsForm(name, study, changed),
        ),
        studyNote(name, study, changed),
        attributeForm(name, changed),
        trialForm(name, study, changed),
        renameForm(name),
        deleteForm(name),
      );
    },
  };
}

function form(title, submit, act, ...fields) {
  const said = el("p", { class: "note", role: "status" });
  const node = el("form", {}, title ? el("h3", {}, title) : null, fields, el("div", { class: "row" }, el("button", { type: "submit" }, submit), said));
  node.addEventListener("submit", (event) => {
    event.preventDefault();
    act(said, node);
  });
  return node;
}

function stopForm(name, changed) {
  return form(
    "Stop the study",
    "Stop",
    async (said) => {
      if (await change(said, studyPath(name, "/stop"), {}, "Stopped: no new trials start.")) changed();
    },
    el("p", { class: "note" }, "Running trials finish; no new ones start."),
  );
}

function limitsForm(name, study, changed) {
  const field = (label, key, step) =>
    el(
      "label",
      { class: "field" },
      el("span", {}, label),
      el("input", { name: key, type: "number", step, min: step === "1" ? "1" : null, value: study.limits?.[key] ?? "" }),
    );
  const fields = [
    field("Trials", "trials", "1"),
    study.objectives.length === 1 ? field("Target", "target", "any") : null,
    field("Patience", "patience", "1"),
  ];
  return form(
    "Limits",
    "Change",
    async (said, node) => {
      const given = [...node.elements].filter((e) => e.name && e.value !== "").map((e) => [e.name, Number(e.value)]);
      if (await change(said, studyPath(name, "/limits"), Object.fromEntries(given), "Limits changed.")) changed();
    },
    fields,
  );
}

const textBox = (value = "") => el("input", { type: "text", autocomplete: "off", required: true, value });
const labelled = (label, box) => el("label", { class: "field" }, el("span", {}, label), box);
const folded = (title, node) => el("details", {}, el("summary", {}, title), node);

function renameForm(name) {
  const box = textBox(name);
  const act = async (said) => {
    const wanted = box.value.trim();
    if (await change(said, studyPath(name, "/rename"), { name: wanted }, "Renamed.")) open(to.study(wanted));
  };
  const note = el("p", { class: "note" }, "Running workers go on; commands that name the study need the new name.");
  return folded("Rename the study", form(null, "Rename", act, note, labelled("New name", box)));
}

function studyNote(name, study, changed) {
  const send = (note) => [studyPath(name, "/attributes"), { attributes: { note } }];
  const note = study.attributes.note;
  return folded("Note on the study", noteForm(send, typeof note === "string" ? note : "", changed));
}

// A value that is JSON is kept as such, any other one as a text.
function attributeForm(name, changed) {
  const [key, given] = [textBox(), textBox()];
  const act = async (said) => {
    const attributes = { [key.value]: json(given.value) };
    if (await change(said, studyPath(name, "/attributes"), { attributes }, "Kept.")) changed();
  };
  const fields = el("div", { class: "fields" }, labelled("Attribute", key), labelled("Value (text or JSON)", given));
  return folded("Attribute of the study", form(null, "Set", act, fields));
}

function json(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function deleteForm(name) {
  const box = textBox();
  const act = async (said) => {
    if (await change(said, studyPath(name, "/delete"), { name: box.value }, "Deleted.")) open(to.studies());
  };
  const warning = el("p", { class: "note" }, "The study and all its trials are lost. Its workers end with an error.");
  return folded("Delete the study", form(null, "Delete", act, warning, labelled("Type the name of the study", box)));
}

/** A form for a note; `send` makes the path and the body of a text. */
export function noteForm(send, note, changed) {
  const box = el("textarea", { rows: 3, maxlength: 10000, "aria-label": "Note" });
  box.value = note ?? "";
  return form(
    null,
    "Keep",
    async (said) => {
      if (await change(said, ...send(box.value), "Kept.")) changed();
    },
    box,
  );
}

function trialForm(name, study, changed) {
  const start = study.best?.params ?? {};
  const fields = study.space.map((p) => paramField(p, start[p.name]));
  const make = form(
    null,
    "Add",
    async (said, node) => {
      const params = Object.fromEntries(
        study.space.map((p) => [p.name, read(p, node.elements.namedItem(`p:${p.name}`).value)]).filter(([, v]) => v !== undefined),
      );
      if (await change(said, studyPath(name, "/trials"), { params }, "Added: the next free worker takes it.")) changed();
    },
    el("div", { class: "fields" }, fields),
  );
  return folded("Enqueue a trial", make);
}

function paramField(p, now) {
  const id = `p:${p.name}`;
  const choices = p.kind === "bool" ? [false, true] : p.choices;
  const input = choices
    ? el(
        "select",
        { name: id },
        p.condition ? el("option", { value: "" }, "(inactive)") : null,
        choices.map((c) => el("option", { value: key(c), selected: now !== undefined && key(c) === key(now) }, value(c))),
      )
    : el("input", {
        name: id,
        type: "number",
        step: p.kind === "int" ? "1" : "any",
        min: p.low,
        max: p.high,
        value: now ?? (p.condition ? "" : p.low),
        required: !p.condition,
      });
  return el("label", { class: "field" }, el("span", {}, p.name), input);
}

function read(p, text) {
  if (text === "") return undefined;
  const choices = p.kind === "bool" ? [false, true] : p.choices;
  return choices ? choices.find((c) => key(c) === text) : Number(text);
}
