// What next: continue or stop, expected gain, recommended point.

import { el, put, link, card, notice, button } from "../dom.js";
import { studyPath, get } from "../api.js";
import { num, plusMinus, plural } from "../format.js";
import { to } from "../router.js";
import { params, copy, facts, fact } from "./parts.js";
import { change } from "./actions.js";

export function create({ name, info, changed }) {
  const place = el("div", {}, el("p", { class: "waiting" }, "Computing…"));
  return {
    node: place,
    title: "What next",
    async load(study, signal) {
      try {
        put(place, content(name, study, await get(studyPath(name, "/next"), {}, signal), info, changed));
      } catch (error) {
        if (error.status !== 409 && error.status !== 404) throw error;
        put(place, notice(error.message));
      }
    },
  };
}

function content(name, study, next, info, changed) {
  return [
    el(
      "section",
      { class: "card hero" },
      el("h2", {}, next.heading),
      el("p", { class: "advice" }, next.advice),
      gain(study, next.expected_gain),
    ),
    next.predicted_best ? predicted(name, study, next.predicted_best, info, changed) : null,
  ];
}

function gain(study, expected) {
  if (!expected) return null;
  const best = study.best?.values?.[study.objectives[0].name];
  return facts(
    fact(
      `Expected gain of ${plural(expected.trials, "more trial")}`,
      num(expected.mean, 3),
      ` at most ${num(expected.high, 3)} with a probability of 90 %`,
    ),
    best != null ? fact("Best so far", num(best, 6)) : null,
  );
}

function predicted(name, study, { number, params: point, mean, sd }, info, changed) {
  const said = el("span", { class: "note", role: "status" });
  const add =
    info.editable && number == null
      ? button(
          "Add it as a trial",
          async () => {
            if (await change(said, studyPath(name, "/trials"), { params: point }, "Added: the next free worker takes it.")) changed();
          },
          { class: "primary" },
        )
      : null;
  const trial =
    number != null
      ? el("p", {}, link(to.trial(name, number), `trial ${number}`), " has the best predicted value of the trials so far.")
      : null;
  return card(
    number != null ? "Recommended trial" : "Best predicted point",
    trial,
    facts(fact(study.objectives[0].name, plusMinus(mean, sd))),
    params(point, study.space),
    el("div", { class: "row" }, add, copy(point), said),
  );
}
